"""One target sensor at a time: a source, a few labelled contacts, the queries."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.datasets import Dataset, Frames
from bideta.images.lazy import Chosen

VALIDATION_SHARE = (
    0.25  # of the training presses: as many frames as SITR's test split, so graphs are as dense
)


@dataclass(frozen=True)
class Episode:
    """Everything one adaptation may see (``source``, ``support``, ``query`` without its labels) and its name."""

    dataset: str
    target: str
    budget: str  # "1%", or "5-shot" where shots were asked for
    shots: int  # labelled frames per class
    seed: int
    source: Frames  # the source sensor's first split
    support: Frames
    query: Frames  # the target's last split
    rows: NDArray[np.int64]  # where the support lies in the target's first split


def draw_support(labels: ArrayLike, per_class: int, seed: int, sensor: str) -> NDArray[np.int64]:
    """Sorted rows of ``per_class`` frames of every class.

    One permutation for each (seed, sensor, class), of which the first frames are taken: a smaller support is
    always part of a larger one (2 ⊂ 5 ⊂ 10 shots, 1 % ⊂ 5 % ⊂ 10 %).
    """
    y = np.asarray(labels)
    if per_class < 1:
        raise ValueError(f"per_class is {per_class}, expected at least 1")
    chosen = []
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        if len(rows) < per_class:
            raise ValueError(
                f"{sensor}: class {label} has {len(rows)} frames, {per_class} labelled ones were asked for"
            )
        rng = np.random.default_rng((seed, zlib.crc32(sensor.encode()), int(label)))
        chosen.append(rng.permutation(rows)[:per_class])
    return np.sort(np.concatenate(chosen)) if chosen else np.zeros(0, np.int64)


def inner_split(
    labels: ArrayLike, groups: ArrayLike, seed: int, sensor: str, share: float = VALIDATION_SHARE
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sorted rows to draw labelled contacts from, and sorted rows to validate on; whole presses on either side.

    Of every class ``share`` of the presses (at least one) is for validation, drawn by (seed, sensor, class).
    """
    y, g = np.asarray(labels), np.asarray(groups)
    chosen = np.zeros(len(y), bool)
    for label in np.unique(y):
        presses = np.unique(g[y == label])
        if len(presses) < 2:
            raise ValueError(
                f"{sensor}: class {label} has {len(presses)} press; inner validation needs two or more per class"
            )
        rng = np.random.default_rng((seed, zlib.crc32(f"{sensor}/validation".encode()), int(label)))
        kept = max(1, round(share * len(presses)))
        chosen |= (y == label) & np.isin(g, rng.permutation(presses)[:kept])
    if np.intersect1d(g[chosen], g[~chosen]).size:
        raise ValueError(
            f"{sensor}: presses hold several classes; inner validation needs one class per press"
        )
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)


def draw_episode(dataset: Dataset, target: str, budget: str | int, seed: int) -> Episode:
    """The episode of a target sensor; ``budget`` is one of the dataset's ("5%") or a number of shots."""
    info = dataset.info
    if len(info.splits) < 2:
        raise ValueError(
            f"{info.name} has the single split {info.splits[0]!r}: support and queries would be the same frames"
        )
    if target == info.source:
        raise ValueError(f"{target} is the source of {info.name}, expected one of {', '.join(info.targets)}")
    if isinstance(budget, str) and budget not in info.budgets:
        raise ValueError(f"unknown budget {budget!r} of {info.name}. Known: {', '.join(info.budgets)}")
    shots = info.budgets[budget] if isinstance(budget, str) else budget
    pool = dataset.frames(target, info.splits[0])
    rows = draw_support(pool.labels, shots, seed, target)
    return Episode(
        dataset=info.name,
        target=target,
        budget=budget if isinstance(budget, str) else f"{shots}-shot",
        shots=shots,
        seed=seed,
        source=dataset.frames(info.source, info.splits[0]),
        support=select(pool, rows),
        query=dataset.frames(target, info.splits[-1]),
        rows=rows,
    )


def select(frames: Frames, rows: NDArray[np.int64]) -> Frames:
    """Some rows of frames, in that order; images are not read."""
    return Frames(
        images=Chosen(frames.images, rows),
        labels=frames.labels[rows],
        ids=[frames.ids[row] for row in rows],
        presses=frames.presses[rows],
        previous=None if frames.previous is None else Chosen(frames.previous, rows),
    )
