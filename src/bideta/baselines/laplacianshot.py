"""LaplacianShot: nearest prototype, with neighbouring queries pulled to the same class.

I. M. Ziko, J. Dolz, É. Granger, I. Ben Ayed: "Laplacian Regularized Few-Shot Learning", ICML 2020.

Minimises Σ_q y_q·a_q − (λ/2) Σ_qp w_qp y_q·y_p over distributions y_q, with a_qc = ‖x_q − m_c‖² on CL2N
features and w_qp = 1 for the k nearest queries, by bound updates Y ← softmax(−a + λWY) until the energy stands.

Departures. The centre of CL2N is the support mean, as in our SimpleShot. ``n_neighbors`` counts neighbours
other than the query: the authors' ``knn=3`` drops the first hit and keeps 2, and keeps the query itself when
it has a duplicate. W is directed, as theirs. They tune λ on labelled base classes, we have none: λ is their
default. ``rectify`` is their prototype rectification (queries shifted to the support's mean, prototypes
refined with pseudo-labelled queries); it is off because it lowered accuracy wherever pseudo-labels were poor.
Their evaluation matched clusters to labels with the Hungarian method; nothing of the kind happens here.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.sparse import csr_array
from scipy.special import xlogy

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._graph import neighbor_graph
from bideta.baselines._inputs import Floats, Readouts, Task
from bideta.baselines._prototypes import (
    Center,
    centre,
    one_hot,
    prototypes,
    softmax,
    squared_distances,
    unit_rows,
)
from bideta.baselines._settings import Amount, Count, Natural

INFO = MethodInfo(
    name="laplacianshot",
    title="LaplacianShot",
    reference="Ziko et al., Laplacian Regularized Few-Shot Learning, ICML 2020",
    licence="none given",
    transductive=True,
    readout="earlier",
    url="https://github.com/imtiazziko/LaplacianShot",
)

N_NEIGHBORS = 3  # the paper's k
WEIGHT = 1.0  # λ; the authors' default before tuning
MAX_ITER = 20  # theirs
TOLERANCE = 1e-6  # relative change of the energy at which the authors stop
RECTIFY_SCALE = 10.0  # multiplies the cosines that weight pseudo-labelled features


def learn(
    task: Task,
    *,
    center: Center = "support",
    n_neighbors: Count = N_NEIGHBORS,
    weight: Amount = WEIGHT,
    rectify: bool = False,
    max_iter: Natural = MAX_ITER,
) -> Infer:
    """The CL2N support; everything else waits for the queries."""
    b = centre(task, center, INFO.name)
    S = unit_rows(task.support.readouts[0] - b)
    Y = one_hot(task.support.y, task.n_classes)
    return partial(
        infer, b=b, S=S, Y=Y, n_neighbors=n_neighbors, weight=weight, rectify=rectify, max_iter=max_iter
    )


def infer(
    readouts: Readouts,
    b: Floats,
    S: Floats,
    Y: Floats,
    n_neighbors: int,
    weight: float,
    rectify: bool,
    max_iter: int,
) -> Floats:
    """Joint distributions of the query batch; a single query has no neighbour and keeps its prototype's."""
    X = unit_rows(readouts[0] - b)
    means = prototypes(S, Y)
    W = neighbor_graph(X, n_neighbors, np.ones_like)  # w_qp = 1, directed
    if rectify:  # the common shift leaves the graph as it is
        X = X + (S.mean(axis=0) - X.mean(axis=0))
        means = rectified(np.vstack([S, X]), means)
    return bound_updates(squared_distances(X, means), W, weight, max_iter)


def bound_updates(unary: Floats, W: csr_array, weight: float, max_iter: int) -> Floats:
    """Y ← softmax(−a + λWY) from Y = softmax(−a), until the energy changes by less than a millionth."""
    Y = softmax(-unary)
    energy = np.inf
    for i in range(max_iter):
        Y = softmax(weight * (W @ Y) - unary)
        last, energy = energy, float((xlogy(Y, Y) + unary * Y - weight * (W @ Y) * Y).sum())
        if i > 1 and abs(energy - last) <= TOLERANCE * abs(last):  # the authors take three steps at least
            break
    return Y


def rectified(X: Floats, means: Floats) -> Floats:
    """Prototypes from support and shifted queries, each counted for its nearest class by softmax(10·cosine).

    As published the mean is over the class's members and not over their weights.
    """
    cosine = unit_rows(X) @ unit_rows(means).T
    nearest_class = cosine.argmax(axis=1)
    members = one_hot(nearest_class, len(means))
    weights = softmax(RECTIFY_SCALE * cosine) * members
    counts = members.sum(axis=0)
    refined: Floats = (weights.T @ X) / np.maximum(counts, 1)[:, None]
    return np.where(counts[:, None] > 0, refined, means)  # a class that nothing is nearest to keeps its mean


load = loader(INFO, learn)
