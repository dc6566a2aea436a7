"""PT-MAP: class means and a balanced transport plan, refined in turn.

Y. Hu, V. Gripon, S. Pateux: "Leveraging the Feature Distribution in Transfer-Based Few-Shot Learning",
arXiv:2006.03806 (2020), ICANN 2021.

Theirs: power transform, unit length, support and queries each centred on their own mean, unit length again;
then 20 times: Sinkhorn plan of the queries at temperature 1/λ with equally many queries for every class, and
prototypes moved by α towards the plan's means. Departures: the power transform keeps the sign (theirs expects
features after a ReLU) and is left out in the LDA subspace; a batch smaller than the number of classes cannot
be balanced (a single query would be centred on itself): it gets softmax distributions from the support.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._inputs import Floats, Task
from bideta.baselines._prototypes import prototypes, squared_distances
from bideta.baselines._settings import Amount, Count, Positive
from bideta.baselines._spaces import SpaceName, in_space
from bideta.baselines._transport import from_support, prepare, transport

INFO = MethodInfo(
    name="pt-map",
    title="PT-MAP",
    reference="Hu, Gripon and Pateux, Leveraging the Feature Distribution, arXiv:2006.03806, 2020",
    licence="none given",
    transductive=True,
    readout="both",
    assumes_balance=True,
    url="https://github.com/yhu01/PT-MAP",
)

POWER = 0.5  # their β
SHARPNESS = 10.0  # their λ: multiplies squared distances of unit vectors
STEP = 0.2  # their α
N_ITER = 20


def learn(
    task: Task,
    *,
    space: SpaceName = "lda",
    sharpness: Positive = SHARPNESS,
    step: Amount = STEP,
    n_iter: Count = N_ITER,
) -> Infer:
    """The support in its space."""
    power = POWER if space == "raw" else 1.0
    return in_space(task, space, partial(solve, power=power, sharpness=sharpness, step=step, n_iter=n_iter))


def solve(
    S: Floats, Y: Floats, X: Floats, *, power: float, sharpness: float, step: float, n_iter: int
) -> Floats:
    """Alternates the plan of the queries and the prototypes; returns the last plan."""
    m, C = len(X), Y.shape[1]
    if m < C:
        return from_support(S, Y, X, sharpness)
    S, X = prepare(S, X, power)
    means, both, mass = prototypes(S, Y), np.vstack([S, X]), np.full(C, m / C)
    P, v = transport(-sharpness * squared_distances(X, means), mass)
    for _ in range(n_iter):
        means += step * (prototypes(both, np.vstack([Y, P])) - means)
        P, v = transport(-sharpness * squared_distances(X, means), mass, v)
    return P


load = loader(INFO, learn)
