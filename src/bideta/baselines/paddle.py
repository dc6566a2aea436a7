"""PADDLE: k-means with class proportions that are learned, for batches where few of the classes occur.

S. Martin, M. Boudiaf, E. Chouzenoux, J.-C. Pesquet, I. Ben Ayed: "Towards Practical Few-Shot Query Sets:
Transductive Minimum Description Length Inference", NeurIPS 2022.

Minimises ½ Σ_i Σ_k u_ik ‖x_i − w_k‖² − λ Σ_k π_k log π_k − entropy of the u_i, with π the mean of the query
assignments u: the partition complexity prefers few classes. Block updates, all in closed form:
u = softmax(−½‖x − w‖² + (λ/m)(log π + 1)), then π, then w from support and queries. λ = m as in the paper's
experiments, which makes it an EM for unit Gaussians.

Departures: none in the LDA subspace, whose unit within-class variance is what the energy assumes. On raw
readouts each feature is divided by its range like theirs, but by that of support and queries together (theirs:
of the queries alone, which a single query does not have).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._inputs import Floats, Task
from bideta.baselines._prototypes import closeness, prototypes, softmax
from bideta.baselines._settings import Amount, Count
from bideta.baselines._spaces import SpaceName, in_space

INFO = MethodInfo(
    name="paddle",
    title="PADDLE",
    reference="Martin et al., Towards Practical Few-Shot Query Sets, NeurIPS 2022",
    licence="none given",
    transductive=True,
    readout="both",
    url="https://github.com/SegoleneMartin/PADDLE",
)

N_ITER = 100  # theirs is 1000; assignments of thousands of queries are still after fewer than 100
FLOOR = 1e-6  # added to π before its logarithm, as theirs


def learn(task: Task, *, space: SpaceName = "lda", complexity: Amount = 1.0, n_iter: Count = N_ITER) -> Infer:
    """The support in its space."""
    return in_space(task, space, partial(solve, scaled=space == "raw", complexity=complexity, n_iter=n_iter))


def solve(S: Floats, Y: Floats, X: Floats, *, scaled: bool, complexity: float, n_iter: int) -> Floats:
    """Alternates assignments u, proportions π and prototypes w; returns the scores of the last assignments."""
    both = np.vstack([S, X])
    if scaled:
        extent = np.ptp(both, axis=0)
        both = both / np.where(extent == 0, 1.0, extent)
        S, X = both[: len(S)], both[len(S) :]
    means = prototypes(S, Y)
    bias = np.zeros(Y.shape[1])
    for _ in range(n_iter):
        scores = closeness(X, means) + complexity * bias
        U = softmax(scores)
        bias = np.log(U.mean(axis=0) + FLOOR) + 1
        means = prototypes(both, np.vstack([Y, U]))
    return scores


load = loader(INFO, learn, scored=True)
