"""What the BLAS and LAPACK calls of each stage take by themselves: no code around them can be faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring.clock import in_turns
from benchmarks.measuring.features import Features
from bideta.method.readout import standardize
from bideta.method.spectrum import class_means, eigh
from bideta.neighbors.in_memory import STRIP

Matrix = NDArray[Any]


def times(features: Features, repeats: int) -> dict[str, float]:
    """CPU seconds of each stage's calls, the minimum of several; features and threads as they are set."""
    contestants: dict[str, tuple[Callable[[], Any], int]] = {}
    for v, (H, Hq) in enumerate(zip(features.support, features.queries, strict=True)):
        for stage, call in _calls(H, features.y, Hq).items():
            contestants[f"{stage} {v}"] = call, repeats
    measured = in_turns(contestants)
    stages = dict.fromkeys((name.split()[0] for name in measured), 0.0)
    for name, result in measured.items():
        stages[name.split()[0]] += result["cpu"]
    return stages | {"total": sum(stages.values())}


def _calls(H: Matrix, y: NDArray[np.intp], Hq: Matrix) -> dict[str, Callable[[], Any]]:
    """The calls of one readout, by stage."""
    counts = np.bincount(y)
    (n, d), m = H.shape, len(Hq)
    Z = standardize(H[np.argsort(y, kind="stable")])[1]
    E = Z - np.repeat(class_means(Z, counts), counts, axis=0)
    thin = n - len(counts) < d
    F = E[: n - len(counts)]  # as many rows as contrasts; their values do not matter to a product
    r = len(F) if thin else d
    left, right = (np.ones(shape, H.dtype) for shape in ((d, r), (r, d)))
    coefficients, D = np.ones((d, len(counts))), Hq.astype(np.float64)
    Q, out = Hq / np.linalg.norm(Hq, axis=1, keepdims=True), np.empty((m, STRIP), H.dtype)

    def decomposition() -> None:
        if thin:
            F.T @ eigh((F @ F.T).T)[1]
        else:
            eigh((E.T @ E).T)

    def similarities() -> None:
        for top in range(0, m, STRIP):
            width = min(STRIP, m - top)
            np.matmul(Q[top:], Q[top : top + width].T, out=out[top:, :width])

    return {
        "decomposition": decomposition,
        "memory": lambda: D @ coefficients,
        "transform": lambda: Hq @ left @ right if thin else Hq @ left,
        "neighbours": similarities,
    }
