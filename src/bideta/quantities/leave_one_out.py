"""What a Gaussian process would say about each press had it not seen it: closed form, no refit.

With C = (K + λI)⁻¹ and a press g, the residuals of a process without the press are C_gg⁻¹ (Cy)_g, and their covariance
is σ² C_gg⁻¹ (Rasmussen and Williams, 2006, section 5.4.2, here for blocks). Frames of one press are nearly alike, so a
press leaves as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bideta.method import Floats64, Indices


@dataclass(frozen=True)
class LeftOut:
    """What a process says about the n labelled contacts without their presses, for L noises and K columns."""

    residuals: Floats64  # (L, n, K) label minus answer
    variances: Floats64  # (L, n) of the residuals, in units of σ²


def by_size(presses: Indices) -> list[Indices]:
    """Rows of the presses: arrays (N, g), presses of equal size together."""
    sizes = np.bincount(presses)
    order = np.argsort(presses, kind="stable")
    starts = np.cumsum(sizes) - sizes
    return [order[starts[sizes == g, None] + np.arange(g)] for g in np.unique(sizes[sizes > 0])]


def leave_out(
    values: Floats64, vectors: Floats64, Y: Floats64, noises: Floats64, groups: list[Indices]
) -> LeftOut:
    """Residuals of the columns Y (n, K) of a kernel U diag(values) Uᵀ, for every noise λ; ``groups`` of ``by_size``."""
    n, K = Y.shape
    L = len(noises)
    inverse = 1 / (values + noises[:, None])  # (L, n) eigenvalues of C
    UY = vectors.T @ Y
    solved = vectors @ (inverse[..., None] * UY)  # (L, n, K) Cy
    residuals, variances = np.empty((L, n, K)), np.empty((L, n))
    for rows in groups:
        if rows.shape[1] == 1:
            alone = rows[:, 0]
            diagonal = inverse @ np.square(vectors[alone]).T  # (L, N) C_ii
            residuals[:, alone], variances[:, alone] = solved[:, alone] / diagonal[..., None], 1 / diagonal
            continue
        U = vectors[rows]  # (N, g, n)
        for i in range(L):
            blocks = (U * inverse[i]) @ U.transpose(0, 2, 1)  # (N, g, g) C_gg
            covariance = np.linalg.inv(blocks)
            residuals[i, rows] = covariance @ solved[i, rows]
            variances[i, rows] = np.diagonal(covariance, axis1=1, axis2=2)
    return LeftOut(residuals, variances)
