"""How many labelled contacts ``adapt`` recognises when they are hidden in turn, in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bideta.classifier import Classifier
from bideta.deploy import hidden_answers
from bideta.extensions.presses import press_of
from bideta.spelling import counted

FEW = 5  # presses of a class: below, a hidden one is missed by its class so much that the figure says little


def hidden_in_turn(adapted: Classifier, say_presses: str) -> str:
    """The figure, and what it does not say; ``say_presses`` is how an input tells which pictures are of one touch."""
    right = hidden_answers(adapted)
    if not len(right):
        return "hidden in turn: cannot be measured, no class has two labelled presses"
    sensor = adapted.sensor()
    new, others = (" new", f" and the {sensor.earlier} earlier ones") if sensor.earlier else ("", "")
    present = slice(sensor.earlier, None)
    said = [
        f"hidden in turn: {right.mean():.1%} of {len(right)}{new} labelled contacts are told by the others{others}, "
        "asked by themselves (predict asks them in a batch like yours)",
        *caveats(
            sensor.labels[present],
            sensor.presses[present],
            np.unique(sensor.labels[: sensor.earlier]),
            say_presses,
        ),
    ]
    return "; ".join(said)


def caveats(
    labels: NDArray[np.intp], presses: NDArray[np.intp], earlier: NDArray[np.intp], say_presses: str
) -> list[str]:
    """Why the figure of these contacts may be too high, or too low; ``earlier`` are classes of an earlier sensor."""
    of_class, press = press_of(labels, presses)
    found = []
    if len(of_class) == len(press):
        found.append(
            f"every picture counts as a press of its own, and several of one touch flatter this: {say_presses}"
        )
    counts = np.bincount(of_class)
    # The only press of a class is not hidden, unless an earlier sensor has more.
    hidden = (counts > 1) | ((counts > 0) & np.isin(np.arange(len(counts)), earlier))
    single = int(((counts > 0) & ~hidden).sum())
    if single:
        found.append(f"{counted(single, 'class')} of a single press left out")
    fewest = int(counts[hidden].min(initial=FEW))
    if fewest < FEW:
        few = f"with {counted(fewest, 'press')} of a class it says little"
        less = ", and mostly too little: a hidden one leaves its class fewer labels than the others have"
        found.append(few if len(earlier) else few + less)
    return found
