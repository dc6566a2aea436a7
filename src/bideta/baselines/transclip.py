"""TransCLIP-style: mixture of Gaussians, neighbourhood graph and an anchor in one objective.

M. Zanella, B. Gérin, I. Ben Ayed: "Boosting Vision-Language Models with Transduction", NeurIPS 2024. Written from
the paper; the authors' code is AGPL and was not used.

Minimises over query distributions z, class means μ and one diagonal covariance Σ
−Σ_Q z·log p − γ(m/n) Σ_S y·log p − ½ Σ_ij w_ij z_i·z_j + Σ_Q (z·log z − λ z·log ŷ), p the Gaussian densities and w
the cosines (not below zero) of the nearest neighbours among queries and support. Updates in turn:
z ∝ ŷ^λ · exp(log p + Wz) several times, then μ and Σ as weighted moments.

Departures. ŷ are not text predictions but the anchor, LDA on both readouts. They choose γ on labelled
validation data; ours makes a labelled contact count as much as a query (γ = n/m). W is symmetrised (the bound
that makes the z update decrease the objective needs it). Means and Σ start from the support, not from 1/d.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.sparse import csr_array

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._anchor import Adapted, adapt_readouts, anchor
from bideta.baselines._graph import neighbor_graph
from bideta.baselines._inputs import Floats, Readouts, Task
from bideta.baselines._prototypes import one_hot, prototypes, softmax, squared_distances, unit_rows
from bideta.baselines._settings import Amount, Count
from bideta.baselines._spaces import Space, SpaceName, fit_space

INFO = MethodInfo(
    name="transclip",
    title="TransCLIP-style",
    reference="Zanella, Gérin and Ben Ayed, Boosting Vision-Language Models with Transduction, NeurIPS 2024",
    licence="AGPL-3.0 (not used: written from the paper)",
    transductive=True,
    readout="both",
    url="https://github.com/MaxZanella/transduction-for-vlms",
)

N_NEIGHBORS = 3
ANCHOR_WEIGHT = 0.5  # their λ with labelled contacts
SUPPORT_WEIGHT = 1.0  # γm/n: what a labelled contact counts for beside a query
OUTER, INNER = 10, 5  # rounds, and z updates in each
VARIANCE_FLOOR = 1e-6  # of the largest variance; a constant coordinate would weigh infinitely
ANCHOR_FLOOR = 1e-10  # least ŷ; log 0 would forbid a class for good


def learn(
    task: Task,
    *,
    space: SpaceName = "lda",
    anchor_weight: Amount = ANCHOR_WEIGHT,
    support_weight: Amount = SUPPORT_WEIGHT,
    n_neighbors: Count = N_NEIGHBORS,
) -> Infer:
    """The support in its space, and the memories that give the anchor."""
    coordinates, adapted = fit_space(task, space), adapt_readouts(task)
    S, Y = coordinates(task.support.readouts), one_hot(task.support.y, task.n_classes)
    graph = partial(affinity, n_neighbors=n_neighbors)
    solve = partial(block_updates, S=S, Y=Y, graph=graph, support_weight=support_weight)
    return partial(infer, space=coordinates, adapted=adapted, solve=solve, anchor_weight=anchor_weight)


def infer(
    readouts: Readouts, space: Space, adapted: Adapted, solve: partial[Floats], anchor_weight: float
) -> Floats:
    """Scores of the queries after the last round."""
    anchored = np.log(np.maximum(anchor(adapted, readouts), ANCHOR_FLOOR))
    return solve(space(readouts), anchor_weight * anchored)


def affinity(X: Floats, n_neighbors: int) -> csr_array:
    """Symmetric graph of non-negative cosines to the nearest rows; directed edges are averaged."""
    W = neighbor_graph(unit_rows(X), n_neighbors, lambda cosines: np.maximum(cosines, 0.0))
    return ((W + W.T) / 2).tocsr()


def block_updates(
    X: Floats, bias: Floats, S: Floats, Y: Floats, graph: partial[csr_array], support_weight: float
) -> Floats:
    """Scores whose softmax is z: z, then μ and Σ, ten rounds; ``bias`` is λ log ŷ (m, C)."""
    both, n = np.vstack([S, X]), len(S)
    W = graph(both)
    z = softmax(bias)
    means, variance = moments(S, Y)
    to_support, to_queries = W[n:, :n] @ Y, W[n:, n:]
    for _ in range(OUTER):
        scale = np.sqrt(variance)
        evidence = bias + to_support - squared_distances(X / scale, means / scale) / 2
        for _ in range(INNER):
            scores = evidence + to_queries @ z
            z = softmax(scores)
        means, variance = moments(both, np.vstack([support_weight * Y, z]))
    return scores


def moments(X: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Class means (C, d), and the variance of each coordinate about them (d,)."""
    means = prototypes(X, weights)
    variance = (weights.sum(axis=1) @ np.square(X) - weights.sum(axis=0) @ np.square(means)) / weights.sum()
    largest = float(variance.max())
    return means, np.maximum(variance, VARIANCE_FLOOR * largest if largest > 0 else 1.0)


load = loader(INFO, learn, scored=True)
