"""Which contacts are used: rows of the support, of the inner validation and of the source; budgets as shots."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.datasets import DatasetInfo
from bideta.datasets.simulated import SOURCE_STRIDE

# Of the training presses: as many frames as SITR's test split, so graphs are as dense.
VALIDATION_SHARE = 0.25
SOURCE_PER_CLASS = 16  # contacts that thinning must leave (the trained heads draw this many per step)
SHOTS = "-shot"
UNLABELLED = "0%"  # a budget that uses no labelled contact of the target


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


def draw_validation(
    labels: ArrayLike, presses: ArrayLike, seed: int, sensor: str, share: float = VALIDATION_SHARE
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sorted rows to draw labelled contacts from, and sorted rows to validate on; whole presses on either side.

    Of every class ``share`` of the presses (at least one) is for validation, drawn by (seed, sensor, class).
    """
    y, g = np.asarray(labels), np.asarray(presses)
    chosen = np.zeros(len(y), bool)
    for label in np.unique(y):
        of_class = np.unique(g[y == label])
        if len(of_class) < 2:
            raise ValueError(
                f"{sensor}: class {label} has {len(of_class)} press; inner validation needs two or more per class"
            )
        rng = np.random.default_rng((seed, zlib.crc32(f"{sensor}/validation".encode()), int(label)))
        kept = max(1, round(share * len(of_class)))
        chosen |= (y == label) & np.isin(g, rng.permutation(of_class)[:kept])
    if np.intersect1d(g[chosen], g[~chosen]).size:
        raise ValueError(
            f"{sensor}: presses hold several classes; inner validation needs one class per press"
        )
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)


def source_rows(labels: NDArray[np.int64], info: DatasetInfo) -> NDArray[np.int64]:
    """Which contacts of the source's first split are used.

    All of a recorded dataset. Of a simulated one every fourth frame, where that leaves 16 contacts per class:
    SITR's 12,800 become 3,200, TacVerse's 2,700 become 675, TacQuad keeps all its 672.
    """
    rows = np.arange(len(labels))
    thinned = rows[::SOURCE_STRIDE]
    counts = np.bincount(labels[thinned], minlength=len(info.classes))
    return thinned if info.simulated and counts.min() >= SOURCE_PER_CLASS else rows


def shots(budget: str, info: DatasetInfo) -> int:
    """Labelled contacts per class of a budget: "5%", "5-shot", or "0%" (one, to name the classes; not learned from)."""
    if budget in info.budgets:
        return info.budgets[budget]
    if budget == UNLABELLED:
        return 1
    if budget.endswith(SHOTS) and budget.removesuffix(SHOTS).isdecimal():
        return int(budget.removesuffix(SHOTS))
    raise ValueError(
        f"unknown budget {budget!r} of {info.name}. Known: {', '.join(info.budgets)}, {UNLABELLED}, <number>{SHOTS}"
    )


def per_class(budget: str, info: DatasetInfo, labels: NDArray[np.int64]) -> int:
    """Labelled contacts per class; a twin's budgets and shots shrink to a scaled pool, a recorded one's never do."""
    asked = shots(budget, info)
    return min(asked, int(np.bincount(labels).min())) if info.simulated else asked


def check_target(info: DatasetInfo, target: str) -> None:
    """Refuse an episode whose target is the source, or a dataset without separate queries."""
    if len(info.splits) < 2:
        raise ValueError(
            f"{info.name} has the single split {info.splits[0]!r}: support and queries would be the same frames"
        )
    if target == info.source:
        raise ValueError(f"{target} is the source of {info.name}, expected one of {', '.join(info.targets)}")
