"""What is support and what is query, always by press: frames of one press never stand on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bideta.protocol.real.sets import RealSet

Rows = NDArray[np.intp]
DAY = re.compile(r"(.+)-day([0-9]+)")
WITHIN, LATE, MINUS, MINUS_LATE, GIVEN = (
    "within",
    "early to late",
    "minus untouched",
    "minus untouched, early to late",
    "given split",
)


@dataclass(frozen=True)
class Split:
    """From where labelled contacts are drawn, and which contacts are asked about."""

    name: str
    taught: RealSet
    asked: RealSet
    halves: Literal["random", "time", "given", "sets"]  # how support and queries part
    minus_untouched: bool = False
    source: bool = False  # the taught sensor is the source; labelled contacts are of the asked one

    @property
    def labelled(self) -> RealSet:
        """The recording whose contacts may be labelled."""
        return self.asked if self.source else self.taught

    @property
    def drawn_as(self) -> str:
        """The split whose draws these are: methods with a source and those without meet the same contacts."""
        return LATE if self.source else self.name

    @property
    def leak_free(self) -> bool:
        """Whether drift within a recording cannot flatter it."""
        return is_leak_free(self.name)

    def pools(self, seed: int) -> tuple[Rows, Rows]:
        """Rows of ``labelled`` that may be labelled, and rows of ``asked`` that are queries."""
        if self.halves == "sets":
            return np.arange(len(self.taught.labels)), np.arange(len(self.asked.labels))
        if self.halves == "given":
            assert self.asked.queries is not None
            early = ~self.asked.queries
        else:
            early = first_half(self.asked, np.random.default_rng(seed) if self.halves == "random" else None)
        return np.flatnonzero(early), np.flatnonzero(~early)


def first_half(recording: RealSet, rng: np.random.Generator | None) -> NDArray[np.bool_]:
    """(n,) contacts in the first half of their class's presses: in time, or in random order."""
    early = np.zeros(len(recording.labels), bool)
    for c in range(len(recording.classes)):
        presses = np.unique(recording.presses[recording.labels == c])
        presses = presses if rng is None else rng.permutation(presses)
        early |= np.isin(recording.presses, presses[: -(-len(presses) // 2)]) & (recording.labels == c)
    return early


def draw_labelled(recording: RealSet, pool: Rows, per_class: int, rng: np.random.Generator) -> Rows:
    """Up to ``per_class`` contacts of every class, each of another press as long as there are presses."""
    chosen: list[int] = []
    for c in range(len(recording.classes)):
        rows = rng.permutation(pool[recording.labels[pool] == c])
        presses = recording.presses[rows]
        # How many frames of the same press come before: zero for the first frame of each.
        turn = np.array([(presses[:i] == press).sum() for i, press in enumerate(presses)])
        chosen += rows[np.argsort(turn, kind="stable")][:per_class].tolist()
    return np.array(chosen, np.intp)


def splits(sets: Mapping[str, RealSet]) -> list[Split]:
    """Every split of every set; those come first that drift cannot flatter."""
    every = [split for one in sets.values() for split in _of(one)] + list(_pairs(sets))
    return sorted(every, key=lambda split: not split.leak_free)


def _of(one: RealSet) -> Iterator[Split]:
    if one.queries is not None:
        yield Split(GIVEN, one, one, "given")
        return
    yield Split(WITHIN, one, one, "random")
    yield Split(LATE, one, one, "time")
    if one.untouched is not None:
        yield Split(MINUS, one, one, "random", True)
        yield Split(MINUS_LATE, one, one, "time", True)


def _pairs(sets: Mapping[str, RealSet]) -> Iterator[Split]:
    """``x-day1`` and ``x-day2`` are two days of one sensor, ``x-day1`` and ``x-b-day1`` two sensors on one day."""
    for old in sets.values():
        for new in sets.values():
            a, b = DAY.fullmatch(old.name), DAY.fullmatch(new.name)
            if old.name == new.name or a is None or b is None or old.classes != new.classes:
                continue
            if a[1] == b[1]:
                yield Split(f"from {old.name}", old, new, "sets")
            elif a[2] == b[2] and (a[1].startswith(b[1]) or b[1].startswith(a[1])):
                yield Split(f"source {old.name}", old, new, "time", source=True)


def is_leak_free(name: str) -> bool:
    """Whether drift within a recording cannot flatter a split of this name."""
    return name in (MINUS, MINUS_LATE, GIVEN) or name.startswith("from ")


def has_source(name: str) -> bool:
    """Whether a split of this name has contacts of another sensor."""
    return name.startswith("source ")
