"""Words of the page, explained where they stand: a line there, and the rest on ``/docs``."""

from __future__ import annotations

# Word → a line for the page, and what /docs adds to it.
WORDS: dict[str, tuple[str, str]] = {
    "readout": (
        "One list of numbers that the encoder makes of a picture. There are usually two, which see different things.",
        "Each readout gives its own opinion about every object; the page shows them side by side.",
    ),
    "anchor": (
        "What the labelled touches alone say: the mean of the readouts' opinions, before neighbours are asked.",
        "The final distribution begins here and never quite leaves it.",
    ),
    "gate": (
        "How much this touch listens to new touches that look like it: more when the readouts are unsure or differ.",
        "It lies between two fixed ends. Closed means that there were too few new touches to ask.",
    ),
    "ambiguity": (
        "How evenly the anchor is spread over the objects: 0 is one object only, 1 is all alike.",
        "An ambiguous touch listens more to its neighbours.",
    ),
    "disagreement": (
        "How far the readouts contradict each other about this touch: 0 is agreement.",
        "Together with the ambiguity it opens the gate.",
    ),
    "reliability": (
        "The probability that the answer is right, measured on your own labelled touches.",
        "“At least” holds with a confidence of 90 %. It does not recognise unknown objects.",
    ),
    "held-out": (
        "Counted on new touches whose object is known from their folder. Their labels were not used to answer.",
        "Before and after a label, the same touches are counted: those that are still new.",
    ),
    "hidden in turn": (
        "A part of your labels is hidden, the rest answers it, and so on until every label was hidden once.",
        "Frames of one press are hidden together. An object with one press only cannot be hidden.",
    ),
    "class prior": (
        "In which proportions the objects are expected among the new touches.",
        "“relaxed” and “auto” look at the new touches, “support” follows the labels, “none” expects nothing.",
    ),
}
