"""Sensor files with flipped bits, cuts, swaps and insertions: refused, or answered as before."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from attacks.tally import Tally
from attacks.worker import judged
from bideta import Bideta, presets
from bideta.artifact import ArtifactError
from support.sensor_shift import episode

EPISODE = episode(C=4, shots=5, per_class=6, dims=(7, 9))
SETTINGS = (presets.CLASSIFICATION, presets.RANKING, presets.ROBOT, presets.TOUCH)
REFUSALS = (ArtifactError,)


@cache
def originals() -> tuple[tuple[bytes, np.ndarray], ...]:
    """Files of four sensors, and what each answers."""
    with tempfile.TemporaryDirectory() as folder:
        path, made = Path(folder, "a.bideta"), []
        for settings in SETTINGS:
            sensor = Bideta(**{**settings, "n_neighbors": 5}).fit(EPISODE.support, EPISODE.labels)
            sensor.save(path)
            made.append((path.read_bytes(), sensor.predict_proba(EPISODE.queries)))
        return tuple(made)


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """The file after something that happens to files."""
    length, kind = len(content), rng.integers(5)
    at = (
        int(rng.integers(length)) if rng.random() < 0.7 else int(rng.integers(min(length, 2000)))
    )  # the header
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + rng.bytes(int(rng.integers(1, 64))) + content[at:]
    if kind == 2:
        other = int(rng.integers(length))
        return content[:at] + content[other : other + 64] + content[at + 64 :]
    altered = bytearray(content)
    for place in (at, *rng.integers(0, length, int(rng.integers(0, 4)))):
        altered[place] ^= 1 << int(rng.integers(8))
    return bytes(altered)


def answer(case: tuple[bytes, int]) -> None:
    """Load the file and ask it; an answer must be that of the file before."""
    content, which = case
    proba = asked(content)
    np.testing.assert_array_equal(proba, originals()[which][1])


def asked(content: bytes) -> np.ndarray:
    """What the sensor in the file says about the queries."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "attack.bideta")
        path.write_bytes(content)
        return Bideta.load(path).predict_proba(EPISODE.queries)


def warm_up() -> None:
    """Load what the first answer loads."""
    for which, (content, _) in enumerate(originals()):
        answer((content, which))


def cases(rng: np.random.Generator, tries: int) -> Iterator[tuple[bytes, int]]:
    """Damaged files, and which they were."""
    for number in range(tries):
        which = number % len(SETTINGS)
        yield damaged(originals()[which][0], rng), which


def attack(rng: np.random.Generator, tries: int) -> Tally:
    """Plain damage; the checksum finds it."""
    return judged("sensor_files", cases(rng, tries), answer, REFUSALS)
