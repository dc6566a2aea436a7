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

from functools import partial

import numpy as np
import scipy.linalg

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._anchor import Adapted, adapt_readouts, anchor, standardize
from bideta.baselines._inputs import Floats, Readouts, Task
from bideta.baselines._prototypes import one_hot, prototypes, softmax
from bideta.baselines._settings import Amount, Natural
from bideta.extensions.whitening import soft_scatter
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
    """Distributions of the queries after the last E step."""
    P = anchor(adapted, readouts)
    both = [standardize(r, np.vstack([s, H])) for r, s, H in zip(adapted, S, readouts, strict=True)]
    for _ in range(max_iter):
        weights = np.vstack([Y, query_weight * P])
        prior = (P.sum(axis=0) + PSEUDO_COUNT) / (len(P) + PSEUDO_COUNT * P.shape[1])
        last, P = P, sum((posterior(Z, weights, prior, len(P)) for Z in both), np.zeros_like(P)) / len(both)
        if np.abs(P - last).max() < TOLERANCE:
            break
    return P


def posterior(Z: Floats, weights: Floats, prior: Floats, m: int) -> Floats:
    """(m, C) LDA distributions of the last m rows of Z, fitted to all rows with these class weights (n + m, C)."""
    means = prototypes(Z, weights)
    covariance = pooled_covariance(Z, weights)
    coefficients = scipy.linalg.solve(covariance, means.T, assume_a="pos")  # (d, C) columns Σ⁻¹μ
    intercepts = np.log(prior) - (means.T * coefficients).sum(axis=0) / 2
    return softmax(Z[-m:] @ coefficients + intercepts)


def pooled_covariance(Z: Floats, weights: Floats) -> Floats:
    """(d, d) covariance of the soft class residuals, shrunk towards its mean variance (Ledoit–Wolf)."""
    d = Z.shape[1]
    S, norms = soft_scatter(Z, weights)
    values = np.asarray(np.linalg.eigvalsh(S), dtype=np.float64)
    rho = ledoit_wolf_intensity(norms, values.sum(), np.square(values).sum(), d)
    target = max(rho * np.trace(S) / d, EIGEN_FLOOR)
    S *= 1 - rho
    S[np.diag_indices(d)] += target
    return S


load = loader(INFO, learn)
