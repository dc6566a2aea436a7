"""The sets on which rivals meet: leak-free splits of real recordings, and sensors of the simulated twin."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.protocol.deferred_encoder import defer_encoder
from bideta.protocol.episode import Contacts
from bideta.protocol.real.batches import draw_batches
from bideta.protocol.real.readings import Readings
from bideta.protocol.real.sets import find_sets
from bideta.protocol.real.splits import splits
from bideta.protocol.supply import Supply

ENCODER = "handmade+efficientnet-lite0"  # the default of the command line
TWIN, SCALE = "simulated-sitr", 0.25  # a quarter of the twin's frames
SENSORS = ("Mini_1", "Hex", "Wedge")  # not the development sensor

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Bed:
    """One draw of one set: contacts that may be labelled, and contacts that are asked about."""

    name: str
    simulated: bool
    seed: int
    pool: Contacts
    queries: Contacts

    @property
    def n_classes(self) -> int:
        return int(max(self.pool.labels.max(), self.queries.labels.max())) + 1

    def rng(self, question: str) -> np.random.Generator:
        """The same draw for every rival."""
        return np.random.default_rng((self.seed, zlib.crc32(f"{self.name}/{question}".encode())))


def draw_labelled(contacts: Contacts, per_class: int, rng: np.random.Generator) -> Rows:
    """Up to ``per_class`` contacts of every class, each of another press as long as there are presses."""
    chosen: list[int] = []
    for c in np.unique(contacts.labels):
        rows = rng.permutation(np.flatnonzero(contacts.labels == c))
        presses = contacts.presses[rows]
        turn = np.array([(presses[:i] == press).sum() for i, press in enumerate(presses)])
        chosen += rows[np.argsort(turn, kind="stable")][:per_class].tolist()
    return np.array(chosen, np.intp)


def real_beds(root: Path, cache: Path, draws: int) -> Iterator[Bed]:
    """Splits that drift within a recording cannot flatter; balanced batches of whole presses."""
    sets = find_sets(root)
    readings = Readings(sets, cache, lambda line: None)
    for split in splits(sets):
        if not split.leak_free or split.source:
            continue
        name = f"{split.asked.name}, {split.name}"
        known, asked = (
            Contacts(readings.of(ENCODER, part.name, split.minus_untouched), part.labels, part.presses)
            for part in (split.taught, split.asked)
        )
        for seed in range(draws):
            pool, rows = split.pools(seed)
            rng = np.random.default_rng((seed, zlib.crc32(name.encode())))
            batch = next(draw_batches("balanced", asked.labels[rows], asked.presses[rows], rng))
            yield Bed(name, False, seed, known[pool], asked[rows[batch]])


def twin_beds(
    cache: Path, draws: int, scale: float = SCALE, sensors: tuple[str, ...] = SENSORS
) -> Iterator[Bed]:
    """Simulated SITR: whole presses of the test split are asked about."""
    parts = ENCODER.split("+")
    supply = Supply({TWIN: {"scale": scale}}, {name: defer_encoder(name, {}) for name in parts}, cache)
    splits_of = supply.info(TWIN).splits
    for sensor in sensors:
        pool, queries = (
            _joined([supply.contacts(TWIN, part, sensor, splits_of[end]) for part in parts])
            for end in (0, -1)
        )
        for seed in range(draws):
            yield Bed(f"{TWIN}, {sensor}", True, seed, pool, queries)


def _joined(parts: list[Contacts]) -> Contacts:
    readouts = tuple(H for part in parts for H in part.readouts)
    return Contacts(readouts, parts[0].labels, parts[0].presses)
