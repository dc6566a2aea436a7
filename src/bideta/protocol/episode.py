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

    # What comparisons made of the source sensor, shared by all episodes with this source.
    prepared: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    pool: int = 0  # contacts of a class from which the labelled ones were drawn

    @property
    def shares(self) -> dict[str, float]:
        """Labelled contacts per class, and the pool they come from: what a budget of "10%" meant."""
        return {"labels": len(self.support) / self.n_classes, "pool": float(self.pool)}

    def prepared_source(self, method: Any) -> Any:
        """Source contacts for the ``fit`` of a comparison."""
        return prepare_source(method, self.source, self.prepared)

    @property
    def n_classes(self) -> int:
        """C, fixed by the dataset."""
        return len(self.classes)


def prepare_source(method: Any, source: Contacts, kept: dict[str, Any]) -> Any:
    """Source contacts for the ``fit`` of a comparison: checked, copied and learned from once, then ``kept``."""
    labelled = source.readouts, source.labels
    if not hasattr(method, "prepare"):  # somebody else's
        return labelled
    if "source" not in kept:
        kept["source"] = method.prepare(labelled, source.labels)
    return kept["source"]


def digest_of(text: str, *parts: bytes) -> str:
    """sha256 of a text and some bytes."""
    digest = hashlib.sha256(text.encode())
    for part in parts:
        # Hashes have a fixed length, so no two lists of parts read alike.
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()
