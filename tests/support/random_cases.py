"""Random problems of every size and setting, for tests against ``reference``."""

from __future__ import annotations

import numpy as np


def random_case(seed: int, V: int | None = None):
    """Support, labels, queries and settings; V readouts, or one or two of them."""
    rng = np.random.default_rng([2026, seed])
    C = int(rng.integers(1, 6)) if seed % 20 == 0 else int(rng.integers(2, 6))
    counts = rng.integers(1, 7, C)
    if seed % 7 == 0:
        counts[:] = 1  # one contact per class: no residuals at all
    if seed % 5 == 0:
        counts += 12  # n > d
    y = rng.permutation(np.repeat(np.arange(C), counts))
    m = int(rng.integers(1, 26))
    dims = rng.integers(1, 11, size=V or (1 if seed % 9 == 0 else 2))
    support, queries = [], []
    for d in dims:
        means = rng.normal(size=(C, d)) * rng.choice([0.5, 2.0, 6.0])
        scale, offset = 10.0 ** rng.uniform(-3, 3, d), rng.normal(size=d)
        H = (means[y] + rng.normal(size=(len(y), d))) * scale + offset
        Hq = (means[rng.integers(0, C, m)] + rng.normal(size=(m, d))) * scale + offset
        if seed % 4 == 0 and m > 2:  # duplicates among queries and in the support
            Hq[m // 2 :] = Hq[: m - m // 2]
            H[-1] = H[np.flatnonzero(y == y[-1])[0]]
        if seed % 6 == 0:
            H[:, 0] = 0.1  # a constant coordinate
        support.append(H)
        queries.append(Hq)
    parameters = {
        "shrinkage": rng.choice(["auto", "number"]),
        "memory_temperature": float(10 ** rng.uniform(-1, 1)),
        "alpha": float(rng.choice([0.0, 0.3, 0.5, 1.0])),
        "geometry": str(rng.choice(["spectral", "spectral", "spectral", "raw"])),
        "gamma": float(rng.choice([0.0, 0.25, 0.6, 1.5])),
        "n_neighbors": int(rng.integers(1, 30)),
        "graph_temperature": float(10 ** rng.uniform(-2, 0.5)),
        "fusion": str(rng.choice(["geometric", "geometric", "arithmetic"])),
        "disagreement_weight": float(rng.choice([0.0, 0.5, 1.0])),
        "gate_exponent": float(rng.choice([0.05, 0.15, 1.0, 3.0])),
        "r_min": 0.2,
        "r_max": float(rng.choice([0.2, 0.6, 0.95])),
        "n_iter": int(rng.choice([0, 1, 3, 10])),
        "prior": [None, "support", "array"][seed % 3],
    }
    parameters["shrinkage"] = "auto" if parameters["shrinkage"] == "auto" else float(rng.uniform(0.02, 1))
    if V is not None and (V > 2 or seed % 2):
        parameters["alpha"] = rng.dirichlet(np.ones(V)) if seed % 2 else 0.5
    if parameters["prior"] == "array":
        parameters["prior"] = rng.dirichlet(np.ones(C))
    return tuple(support), y, tuple(queries), parameters
