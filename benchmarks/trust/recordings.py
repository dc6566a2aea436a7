"""Contacts of the twin and of real recordings as readouts, encoded once and kept in a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.datasets import Frames
from bideta.datasets.simulated.levels import DEFAULT_LEVEL, LEVELS
from bideta.encoders import Readouts
from bideta.protocol.readout_cache import read_or_encode
from bideta.protocol.real.readings import Readings
from bideta.protocol.real.sets import find_sets
from bideta.service.choices import DEFAULT_ENCODER
from bideta.service.plugins import load_plugin
from bideta.sim import HOUSEHOLD, SensorDesign, Wear, presses, render

LEVEL = LEVELS[DEFAULT_LEVEL]


@dataclass(frozen=True)
class Recording:
    """Contacts of one sensor; frames of a press follow each other in time."""

    readouts: Readouts
    labels: NDArray[np.int64]  # (n,)
    presses: NDArray[np.int64]  # (n,)

    def __getitem__(self, rows: Any) -> Recording:
        return Recording(tuple(H[rows] for H in self.readouts), self.labels[rows], self.presses[rows])

    def after(self, earlier: Recording) -> Recording:
        """These behind earlier ones."""
        presses = np.concatenate([earlier.presses, self.presses + earlier.presses.max() + 1])
        readouts = tuple(np.concatenate(pair) for pair in zip(earlier.readouts, self.readouts, strict=True))
        return Recording(readouts, np.concatenate([earlier.labels, self.labels]), presses)

    def halves(self, seed: int) -> tuple[Recording, Recording]:
        """Presses of every class dealt into two halves: from which labels are drawn, and which are asked about."""
        return self._halves(np.random.default_rng((seed, 11)).permutation)

    def in_time(self) -> tuple[Recording, Recording]:
        """The earlier half of every class's presses, and the later one."""
        return self._halves(lambda numbers: numbers)

    def _halves(self, order: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> tuple[Recording, Recording]:
        """The first half of every class's presses in an order of their numbers, and the second."""
        first = np.zeros(len(self.labels), bool)
        for c in np.unique(self.labels):
            numbers = order(np.unique(self.presses[self.labels == c]))
            first |= (self.labels == c) & np.isin(self.presses, numbers[: len(numbers) // 2])
        return self[first], self[~first]

    def draw(self, per_class: int, seed: int) -> Recording:
        """Up to ``per_class`` contacts of every class, each of another press as long as there are presses."""
        rng, chosen = np.random.default_rng((seed, 13)), []
        for c in np.unique(self.labels):
            rows = rng.permutation(np.flatnonzero(self.labels == c))
            turn = np.array(
                [(self.presses[rows[:i]] == self.presses[row]).sum() for i, row in enumerate(rows)]
            )
            chosen.append(rows[np.argsort(turn, kind="stable")][:per_class])
        return self[np.concatenate(chosen)]


@lru_cache(maxsize=64)
def twin(
    design: SensorDesign,
    cache: Path,
    per_class: int = 30,
    frames: int = 3,
    seed: int = 0,
    name: str = DEFAULT_ENCODER,
    wear: Wear | None = None,
) -> Recording:
    """Presses of the 16 objects of the simulated SITR set on this sensor, at the medium difficulty."""
    rng = np.random.default_rng((seed, 5))
    objects = np.repeat(np.arange(len(HOUSEHOLD)), per_class)
    contacts = presses(HOUSEHOLD, objects, rng, frames=frames, ranges=LEVEL.ranges)
    facts = hashlib.sha256(repr((design, per_class, frames, seed, name, wear)).encode()).hexdigest()[:24]
    place = cache / f"twin-{design.name}-{facts}.npz"
    if not place.exists():
        pictures = render(contacts, design, seed=rng, conditions=replace(LEVEL.conditions, wear=wear))
        everything = Frames(pictures, contacts.object, [""] * len(contacts), contacts.press)
        readouts: Iterable[NDArray[np.float32]] = (
            H
            for part in name.split("+")
            for H in read_or_encode(load_plugin("encoder", part, {}), everything)
        )
        place.parent.mkdir(parents=True, exist_ok=True)
        np.savez(place, *readouts)
    with np.load(place) as kept:
        return Recording(tuple(kept[key] for key in kept), contacts.object, contacts.press)


@lru_cache(maxsize=8)
def real(root: Path, cache: Path, recording: str, name: str = DEFAULT_ENCODER) -> Recording:
    """A real set."""
    sets = find_sets(root)
    readouts = Readings(sets, cache, lambda line: None).of(name, recording, False)
    return Recording(readouts, sets[recording].labels, sets[recording].presses)
