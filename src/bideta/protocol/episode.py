"""Contacts as readouts, and an episode: what one adaptation sees of the source and the target sensor."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.encoders import Readouts


@dataclass(frozen=True)
class Contacts:
    """The readouts of some contacts; row i of every field is the same contact."""

    readouts: Readouts  # (n, d) for each
    labels: NDArray[np.int64]  # (n,) index into the dataset's classes
    presses: NDArray[np.int64]  # (n,) press trajectory or trial
    digest: str = ""  # hash of what the contacts are: names, labels, presses

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: NDArray[Any] | slice) -> Contacts:
        """Some of the contacts; ``rows`` is an index array, a mask or a slice."""
        chosen = np.arange(len(self))[rows]
        readouts = tuple(np.asarray(H[rows]) for H in self.readouts)
        digest = digest_of(self.digest, chosen.tobytes())
        return Contacts(readouts, self.labels[rows], self.presses[rows], digest)


@dataclass(frozen=True)
class Episode:
    """One adaptation: source, labelled contacts and queries of a target sensor, as readouts."""

    source: Contacts
    support: Contacts
    query: Contacts
    classes: tuple[str, ...]
    split_hash: str
    rows: NDArray[np.int64]  # where the support lies in the target's first split
    # Readouts of the target's and the source's calibration images; None where the dataset has none.
    read_calibration: Callable[[], tuple[Readouts | None, Readouts | None]] = field(repr=False)

    @property
    def n_classes(self) -> int:
        """C, fixed by the dataset."""
        return len(self.classes)


def digest_of(text: str, *parts: bytes) -> str:
    """sha256 of a text and some bytes."""
    digest = hashlib.sha256(text.encode())
    for part in parts:
        # Hashes have a fixed length, so no two lists of parts read alike.
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()
