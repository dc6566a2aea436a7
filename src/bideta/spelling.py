"""Names that nobody knows and the known ones that were probably meant; numbers with their noun."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def counted(count: int, noun: str) -> str:
    """A number and what is counted.

    >>> counted(1, "labelled image"), counted(2, "press"), counted(1200, "class")
    ('1 labelled image', '2 presses', '1200 classes')
    """
    return f"{count} {noun}{'' if count == 1 else 'es' if noun.endswith('s') else 's'}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """ " Did you mean 'Hex'?", with a blank before it; empty where nothing is close. Capitals do not count.

    >>> did_you_mean("hex", ["DIGIT", "Hex"]), did_you_mean("HEX", ["DIGIT", "Hex"]), did_you_mean("spoon", ["Hex"])
    (" Did you mean 'Hex'?", " Did you mean 'Hex'?", '')
    """
    spelt = {known_name.casefold(): known_name for known_name in known}
    close = difflib.get_close_matches(name.casefold(), spelt, n=1)
    return f" Did you mean {spelt[close[0]]!r}?" if close else ""
