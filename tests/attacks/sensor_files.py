"""Sensor files with flipped bits, cuts, swaps and insertions: refused, or answered as before."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.base import clone

from attacks.tally import Tally
from attacks.worker import judged
from bideta import Bideta, presets
from bideta.artifact import ArtifactError
from bideta.deploy import keep_earlier
from bideta.images.looks import sketches
from bideta.service import answers as service
from support.sensor_shift import episode

EPISODE = episode(C=4, shots=5, per_class=6, dims=(7, 9))
SETTINGS = (presets.CLASSIFICATION, presets.RANKING, presets.ROBOT, presets.TOUCH)
REFUSALS = (ArtifactError,)
UNTOUCHED = np.full((24, 32, 3), 100, np.uint8)


@dataclass(frozen=True)
class Said:
    """All that a sensor says about the queries and their pictures."""

    proba: np.ndarray  # (m, C)
    reliability: np.ndarray  # (3, m) value, lower and upper bound; NaN: not known
    level: str  # of the check whether the pictures are its own


def pictures(m: int, seed: int) -> np.ndarray:
    """(m, 24, 32, 3) pictures of one sensor, each touched in one place."""
    rng = np.random.default_rng(seed)
    frames = np.repeat(UNTOUCHED[None], m, axis=0)
    for frame, (top, left) in zip(frames, rng.integers(0, 16, (m, 2)), strict=True):
        frame[top : top + 8, left : left + 8] += rng.integers(10, 60, 3, dtype=np.uint8)
    return frames


@cache
def adapted() -> tuple[Bideta, ...]:
    """Sensors of each preset, plain; the same with every field that a file can have."""
    made = [Bideta(**{**settings, "n_neighbors": 5}) for settings in SETTINGS]
    plain = [clone(sensor).fit(EPISODE.support, EPISODE.labels) for sensor in made]
    presses = np.arange(len(EPISODE.labels)) // 2
    looks = sketches(pictures(len(presses), seed=1))
    origin = {"encoder": "handmade", "settings": {}, "fingerprint": "0", "colour": [100.0, 100.0, 100.0]}
    more = {"presses": presses, "sketches": looks, "background": UNTOUCHED, "origin": origin}
    full = [sensor.fit(EPISODE.support, EPISODE.labels, **more) for sensor in made]
    kept = [keep_earlier(one, old, margin=-np.inf).adapted for one, old in zip(full, plain, strict=True)]
    return *plain, *kept


@cache
def originals() -> tuple[tuple[bytes, Said], ...]:
    """Files of the sensors, and what each says."""
    with tempfile.TemporaryDirectory() as folder:
        path, made = Path(folder, "a.bideta"), []
        for sensor in adapted():
            sensor.save(path)
            made.append((path.read_bytes(), said(sensor)))
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


def said(sensor: Bideta) -> Said:
    """What the sensor says about the queries."""
    looks = sketches(pictures(len(EPISODE.queries[0]), seed=2))
    answers = service.answer(sensor, EPISODE.queries, sketches=looks)
    bounds = answers.intervals
    return Said(
        answers.result.proba, np.stack([bounds.value, bounds.lower, bounds.upper]), answers.check.level
    )


def asked(content: bytes) -> Said:
    """What the sensor in the file says about the queries."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "attack.bideta")
        path.write_bytes(content)
        return said(Bideta.load(path))


def answer(case: tuple[bytes, int]) -> None:
    """Load the file and ask it; an answer must be that of the file before."""
    content, which = case
    now, before = asked(content), originals()[which][1]
    np.testing.assert_array_equal(now.proba, before.proba)
    np.testing.assert_array_equal(now.reliability, before.reliability)
    assert now.level == before.level


def warm_up() -> None:
    """Load what the first answer loads."""
    for which, (content, _) in enumerate(originals()):
        answer((content, which))


def cases(rng: np.random.Generator, tries: int) -> Iterator[tuple[bytes, int]]:
    """Damaged files, and which they were."""
    for number in range(tries):
        which = number % len(originals())
        yield damaged(originals()[which][0], rng), which


def attack(rng: np.random.Generator, tries: int) -> Tally:
    """Plain damage; the checksum finds it."""
    return judged("sensor_files", cases(rng, tries), answer, REFUSALS)
