"""Is a faster encoder as good? Both on the same simulated contacts: agreement, accuracy and time, in one run."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bideta.encoders import Encoder
from bideta.estimator import Bideta
from bideta.plugins import load_dataset
from bideta.presets import TOUCH
from bideta.service.encoding import encode_frames

SENSOR, SCALE, QUERIES = "Hex", 0.05, 320
POOL, SHOTS, DRAWS = (
    16,
    8,
    10,
)  # a class: contacts to draw from, labels of a draw; one draw alone is off by points
LOSS = 0.005  # of accuracy: more than half a point is refused
ROUNDS, BATCH = 5, 8  # of the timing, in turns, so that a busy machine slows both


@dataclass(frozen=True)
class Comparison:
    """What was measured; the first of a pair is the encoder as it was."""

    agreement: tuple[float, ...]  # mean cosine of each readout, from its mean
    accuracy: tuple[float, float]  # on simulated contacts, eight labels a class
    milliseconds: tuple[float, float]  # of a picture, median

    @property
    def loss(self) -> float:
        """Accuracy lost."""
        return self.accuracy[0] - self.accuracy[1]

    def __str__(self) -> str:
        (before, after), (slow, fast) = self.accuracy, self.milliseconds
        return (
            f"agreement (cosine) {', '.join(f'{one:.4f}' for one in self.agreement)}; accuracy on the twin (simulated) "
            f"{before:.1%} → {after:.1%}; {slow:.1f} → {fast:.1f} ms per image"
        )


def compare(before: Encoder, after: Encoder) -> Comparison:
    """Both encoders on the twin."""
    dataset = load_dataset("simulated-sitr", scale=SCALE)
    pool, test = dataset.frames(SENSOR, "train"), dataset.frames(SENSOR, "test")
    rng = np.random.default_rng(0)
    classes = range(len(dataset.info.classes))
    support = np.concatenate([_spread(np.flatnonzero(pool.labels == label)) for label in classes])
    queries = np.sort(rng.permutation(len(test))[:QUERIES])
    draws = [_draw(pool.labels[support], rng) for _ in range(DRAWS)]
    accuracy, answers = [], []
    for encoder in (before, after):
        labelled, readouts = encode_frames(encoder, pool, support), encode_frames(encoder, test, queries)
        answers.append(readouts)
        right = []
        for rows in draws:
            adapted = Bideta(**TOUCH).fit(tuple(H[rows] for H in labelled), pool.labels[support[rows]])
            right.append((adapted.predict(readouts) == test.labels[queries]).mean())
        accuracy.append(float(np.mean(right)))
    agreement = tuple(_agreement(a, b) for a, b in zip(*answers, strict=True))
    frames = test.images[queries[:BATCH]]
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for spent, encoder in zip(times, (before, after), strict=True):
            start = time.perf_counter()
            encoder.encode(frames)
            spent.append(1000 * (time.perf_counter() - start) / len(frames))
    slow, fast = (float(np.median(spent)) for spent in times)
    return Comparison(agreement, (accuracy[0], accuracy[1]), (slow, fast))


def _spread(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """``POOL`` of the rows, of different presses as far as there are any."""
    return rows[np.linspace(0, len(rows) - 1, min(POOL, len(rows))).astype(int)]


def _draw(labels: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """``SHOTS`` rows of every class."""
    of = (np.flatnonzero(labels == label) for label in np.unique(labels))
    return np.concatenate([rng.permutation(rows)[:SHOTS] for rows in of])


def _agreement(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """Mean cosine of two readouts, both from the mean of the first: what all contacts share says nothing."""
    middle = a.mean(0)
    a, b = a - middle, b - middle
    return float(((a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1) + 1e-12)).mean())
