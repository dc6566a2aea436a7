"""``--sets``: the column of all classes that a contact may be of."""

from __future__ import annotations

import numpy as np

from bideta.checks import check_number
from bideta.cli._terminal import note
from bideta.deploy import conformal_sets, hold_out
from bideta.encoders import Readouts
from bideta.service.answers import Answers
from bideta.spelling import counted

BETWEEN = "; "  # classes of a set


def check_sets(sets: float | None, by_class: bool, by: str) -> None:
    """Refuse what does not go together."""
    if sets is not None:
        check_number("--sets", sets, float, above=0, below=1, hint="a share, such as 0.9")
        if by == "press":
            raise ValueError("--by press gives one answer per press; --sets decides about frames")
    elif by_class:
        raise ValueError("--sets-by-class is about label sets: give --sets, such as --sets 0.9")


def sets_column(answers: Answers, readouts: Readouts, coverage: float, by_class: bool) -> list[str]:
    """The possible classes of every contact, most probable first; empty: it resembles none."""
    hidden, names = answers.hidden, answers.classes
    if hidden.queries.shape[1] != len(answers.order):  # a large batch: hidden among a part of it
        hidden = hold_out(answers.adapted, readouts)
    possible = conformal_sets(hidden, coverage, by_class=by_class)
    if possible.all():
        few = "a class needs" if by_class else "there must be"
        presses = int(np.ceil(coverage / (1 - coverage) - 1e-9))
        note(
            f"warning: --sets {coverage:g} excludes nothing: {few} {counted(presses, 'labelled press')} or more"
        )
    return [
        BETWEEN.join(names[c] for c in order if row[c])
        for order, row in zip(answers.order, possible, strict=True)
    ]
