"""protoLP: labels are propagated through prototypes, and the prototypes follow the labels.

H. Zhu, P. Koniusz: "Transductive Few-shot Learning with Prototype-based Label Propagation by Iterative Graph
Refinement", CVPR 2023.

In every round: Z, a balanced transport plan of the queries to the prototypes (support rows are their labels);
the graph of prototypes I − ZᵀZΛ⁻¹ with Λ = diag(Zᵀ1); prototype labels A = (Z_SᵀZ_S + λL)⁻¹Z_SᵀY; propagated
labels ZA, balanced again; prototypes moved by α towards the means under the mix of both. Features are prepared
as in PT-MAP, from where the transport comes.

Departures: support and queries are centred on their own means, as PT-MAP does (theirs: on the common one);
propagated labels that come out negative are cut at zero before they are balanced; the balancing is carried to
convergence; a batch smaller than the number of classes is answered by the support's prototypes.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._inputs import Floats, Task
from bideta.baselines._prototypes import prototypes, squared_distances, unit_rows
from bideta.baselines._settings import Amount, Count, Positive
from bideta.baselines._spaces import SpaceName, in_space
from bideta.baselines._transport import from_support, prepare, transport

INFO = MethodInfo(
    name="protolp",
    title="protoLP",
    reference="Zhu and Koniusz, Prototype-based Label Propagation, CVPR 2023",
    licence="none given",
    transductive=True,
    readout="both",
    assumes_balance=True,
    url="https://github.com/allenhaozhu/protoLP",
)

POWER = 0.5  # of the power transform, on raw readouts
SHARPNESS = 10.0  # multiplies squared distances of unit vectors in the plan
SMOOTHNESS = 1.0  # their λ, weight of the prototype graph
MIX = 0.6  # their β, part of the propagated labels in the means
STEP = 0.2  # their α
N_ITER = 100
LABEL_FLOOR = 1e-12  # propagated labels below it are cut; their logarithm enters the plan


def learn(
    task: Task,
    *,
    space: SpaceName = "lda",
    sharpness: Positive = SHARPNESS,
    smoothness: Amount = SMOOTHNESS,
    mix: Amount = MIX,
    step: Amount = STEP,
    n_iter: Count = N_ITER,
) -> Infer:
    """The support in its space."""
    power = POWER if space == "raw" else 1.0
    refine = partial(
        solve, power=power, sharpness=sharpness, smoothness=smoothness, mix=mix, step=step, n_iter=n_iter
    )
    return in_space(task, space, refine)


def solve(
    S: Floats,
    Y: Floats,
    X: Floats,
    *,
    power: float,
    sharpness: float,
    smoothness: float,
    mix: float,
    step: float,
    n_iter: int,
) -> Floats:
    """Alternates plan, propagated labels and prototypes; returns the last plan."""
    m, C = len(X), Y.shape[1]
    if m < C:
        return from_support(S, Y, X, sharpness)
    S, X = prepare(S, X, power)
    means, both, mass = unit_rows(prototypes(S, Y)), np.vstack([S, X]), np.full(C, m / C)
    P, v = transport(-sharpness * squared_distances(X, means), mass)
    for _ in range(n_iter):
        L = transport(np.log(propagate(P, Y, smoothness)), mass)[0]
        weights = np.vstack([Y, mix * L + (1 - mix) * P])
        means += step * (prototypes(both, weights) - means)
        P, v = transport(-sharpness * squared_distances(X, means), mass, v)
    return P


def propagate(P: Floats, Y: Floats, smoothness: float) -> Floats:
    """(m, C) labels of the queries through the prototypes, all above zero.

    The support's rows of Z are its labels Y, so Z_SᵀZ_S = Z_SᵀY holds the class counts.
    """
    counts = np.diag(Y.sum(axis=0))
    Z = np.vstack([Y, P])  # (n + m, C)
    graph = np.eye(Y.shape[1]) - Z.T @ (Z / Z.sum(axis=0))
    labels = np.linalg.solve(counts + smoothness * graph, counts)  # A, (C, C)
    return np.maximum(P @ labels, LABEL_FLOOR)


load = loader(INFO, learn)
