"""EM-LDA: shrinkage LDA refitted with the queries as soft-labelled contacts.

G. J. McLachlan: "Iterative reclassification procedure for constructing an asymptotically optimal rule of
allocation in discriminant analysis", JASA 1975; as expectation–maximisation: A. P. Dempster, N. M. Laird,
D. B. Rubin, J. Royal Statistical Society B 1977. No single original: this is the textbook mixture of Gaussians
with one full covariance, where support labels are known and query labels are hidden.

E step: query distributions, the mean of the readouts' posteriors (Eq. 3), so that the readouts teach each
other. M step, in each readout: class means and pooled covariance of support and queries together, shrunk by
the Ledoit–Wolf intensity; class proportions from the queries alone, since a robot's batch need not follow the
support. It assumes no balance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.linalg

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._anchor import Adapted, adapt_readouts, log_anchor, log_mean, standardize
from bideta.baselines._inputs import Floats, Readouts, Task
from bideta.baselines._prototypes import one_hot, prototypes, softmax
from bideta.baselines._settings import Amount, Natural
from bideta.method.spectrum import EIGEN_FLOOR, ledoit_wolf_intensity

INFO = MethodInfo(
    name="em-lda",
    title="EM-LDA",
    reference="McLachlan, JASA, 1975; Dempster, Laird and Rubin, JRSS B, 1977",
    licence="no original code",
    transductive=True,
    readout="both",
)

MAX_ITER = 10  # distributions move by less than a hundredth after about five steps
TOLERANCE = 1e-3  # largest change of a probability at which it stops
PSEUDO_COUNT = 1.0  # queries added to every class; without them an unseen class could never come back


def learn(task: Task, *, max_iter: Natural = MAX_ITER, query_weight: Amount = 1.0) -> Infer:
    """The support, and its memories to start from."""
    adapted = adapt_readouts(task)
    Y = one_hot(task.support.y, task.n_classes)
    S = task.support.readouts
    return partial(infer, adapted=adapted, S=S, Y=Y, max_iter=max_iter, query_weight=query_weight)


def infer(
    readouts: Readouts, adapted: Adapted, S: Readouts, Y: Floats, max_iter: int, query_weight: float
) -> Floats:
    """Logarithms of the distributions after the last E step."""
    scores = log_anchor(adapted, readouts)
    P = softmax(scores)
    share = np.full(len(adapted), 1 / len(adapted))
    counts = np.concatenate([np.ones(len(Y)), np.full(len(P), query_weight)])
    both = [
        scatter(standardize(r, np.vstack([s, H])), counts)
        for r, s, H in zip(adapted, S, readouts, strict=True)
    ]
    for _ in range(max_iter):
        weights = np.vstack([Y, query_weight * P])
        prior = (P.sum(axis=0) + PSEUDO_COUNT) / (len(P) + PSEUDO_COUNT * P.shape[1])
        scores = log_mean([discriminant(x, weights, prior, len(P)) for x in both], share)
        last, P = P, softmax(scores)
        if np.abs(P - last).max() < TOLERANCE:
            break
    return scores


@dataclass(frozen=True)
class Scatter:
    """Contacts, and their spread about zero, T = Zᵀ diag(w) Z / Σw.

    A step moves weight between classes and never between contacts, so T outlives all steps: the covariance of the
    class residuals is T minus a matrix of rank C.
    """

    Z: Floats  # (N, r), r = min(N, d)
    lengths: Floats  # (N,) ‖z‖²
    T: Floats  # (r, r)
    d: int


def scatter(Z: Floats, counts: Floats) -> Scatter:
    """What all steps share; with fewer contacts than features, in axes that the contacts span."""
    d = Z.shape[1]
    if len(Z) < d:  # the same lengths and angles with N numbers each
        Z = np.asarray(scipy.linalg.qr(Z.T, mode="r")[0][: len(Z)].T, dtype=np.float64)
    T = (Z.T * (counts / counts.sum())) @ Z
    return Scatter(Z, np.square(Z).sum(axis=1), T, d)


def discriminant(x: Scatter, weights: Floats, prior: Floats, m: int) -> Floats:
    """(m, C) LDA scores (Eq. 2) of the last m contacts, fitted to all with these class weights (N, C)."""
    mass, means = weights.sum(axis=0), prototypes(x.Z, weights)
    total = mass.sum()
    squared = x.lengths[:, None] - 2 * x.Z @ means.T + np.square(means).sum(axis=1)  # (N, C) ‖e‖²
    norms = np.sqrt((weights * np.square(squared)).sum(axis=1) * (len(weights) / total))
    S = x.T - (means.T * (mass / total)) @ means  # covariance of the class residuals
    rho = ledoit_wolf_intensity(norms, float(np.trace(S)), float(np.square(S).sum()), x.d)
    level = max(rho * np.trace(S) / x.d, EIGEN_FLOOR)
    S *= 1 - rho
    S[np.diag_indices(len(S))] += level
    coefficients = scipy.linalg.solve(S, means.T, assume_a="pos", overwrite_a=True)  # (r, C) columns Σ⁻¹μ
    intercepts = np.log(prior) - (means.T * coefficients).sum(axis=0) / 2
    scores: Floats = x.Z[-m:] @ coefficients + intercepts
    return scores


load = loader(INFO, learn, scored=True)
