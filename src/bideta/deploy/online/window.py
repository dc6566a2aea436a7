"""Which contacts a bounded memory keeps: the newest, and older ones of every class."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray


class Window:
    """Slots of at most ``size`` contacts: the newest ``size − reservoir``, and a reservoir of older ones.

    Nothing is dropped until the slots are full. From then on the contact that stops being one of the newest moves
    to the reservoir, and one contact of the class with most contacts there (by the present answers; the lower
    class index among equals) leaves, drawn at random: a long hold of one object displaces itself, not the others.
    Without a reservoir the oldest contact leaves.
    """

    def __init__(self, size: int, reservoir: int, seed: int) -> None:
        self.size, self.reservoir = size, reservoir
        self.newest: deque[int] = deque()  # slots, oldest first
        self.kept: list[int] = []  # slots of the reservoir
        self.rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return len(self.newest) + len(self.kept)

    def admit(self, predicted: NDArray[np.intp]) -> int:
        """The slot of the next contact; ``predicted`` holds the class index of the contact in every slot."""
        slot = len(self) if len(self) < self.size else self._leaving(predicted)
        self.newest.append(slot)
        if len(self.newest) > self.size - self.reservoir:
            self.kept.append(self.newest.popleft())
        return slot

    def _leaving(self, predicted: NDArray[np.intp]) -> int:
        oldest = self.newest.popleft()
        if not self.reservoir:
            return oldest
        self.kept.append(oldest)
        classes = predicted[self.kept]
        crowd = np.flatnonzero(classes == np.bincount(classes).argmax())
        return self.kept.pop(int(self.rng.choice(crowd)))
