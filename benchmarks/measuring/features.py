"""Made-up features that behave like two readouts of one frozen encoder on a sensor it has not seen.

``episode`` is for the paper's shapes: classes overlap, so that answers differ between methods if they can.
``batch`` is for growth: many queries, quickly, clustered or without any structure to search by.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LATENT = 192  # directions that the encoder uses; the remaining ones hold noise only
NUISANCE = 6.0  # spread of the strongest within-class direction, in units of the weakest: pose and pressure
UNSHARED = 0.5  # share of a readout's latent that the other readout does not have
FLOOR = 0.05  # noise in every coordinate
PER_PLACE = 100  # contacts of one place in a clustered batch: more than k = 40, so a neighbour is a near-copy
WITHIN_PLACE = 0.5  # spread inside a place, in units of the spread between places
SHARED = 0.6  # correlation of the two readouts in a batch
ROWS = 16_384  # queries made at a time: a batch must not need memory beyond itself


class Features(NamedTuple):
    """Labelled support and queries, a pair of readouts each."""

    support: tuple[NDArray[Any], ...]
    y: NDArray[np.intp]
    queries: tuple[NDArray[Any], ...]
    truth: NDArray[np.intp]


def episode(
    n: int, m: int, C: int, dims: tuple[int, ...], separation: float, dtype: str, seed: int = 0
) -> Features:
    """Support and queries of one target sensor; ``separation`` of the class means sets the accuracy.

    A contact has a latent code: its class mean, a few strong directions that vary within every class, and many
    weak ones. Each readout mixes the code by a matrix, adds a part that the other readout lacks and noise, and has
    coordinates of very different scale and offset.
    """
    rng = np.random.default_rng(seed)
    spread = NUISANCE * np.arange(1, LATENT + 1) ** -0.7  # (L,) a power law, as in trained encoders
    means = separation * rng.standard_normal((C, LATENT))
    y, truth = np.arange(n) % C, rng.permutation(np.arange(m) % C)
    code = means[np.concatenate([y, truth])] + spread * rng.standard_normal((n + m, LATENT))
    support, queries = [], []
    for d in dims:
        seen = code + UNSHARED * spread * rng.standard_normal(code.shape)
        H = seen @ rng.standard_normal((LATENT, d)) / np.sqrt(LATENT)
        H += FLOOR * rng.standard_normal(H.shape)
        H = H * rng.lognormal(0.0, 0.5, d) + rng.standard_normal(d)
        support.append(H[:n].astype(dtype))
        queries.append(H[n:].astype(dtype))
    return Features(tuple(support), y, tuple(queries), truth)


def batch(distribution: str, n: int, m: int, C: int, d: int, readouts: int = 2, seed: int = 0) -> Features:
    """Support and a large query batch in float32.

    "clustered": contacts of m/100 places in random order, a neighbour is a near-copy. "whitened": independent
    normal coordinates, which is what the spectral step makes of features without such copies; the nearest
    query is then hardly nearer than any other, and every index has to look at most of the batch.
    """
    if distribution not in ("clustered", "whitened"):
        raise ValueError(f"distribution={distribution!r}: expected 'clustered' or 'whitened'")
    rng = np.random.default_rng(seed)
    means = [rng.standard_normal((C, d), dtype=np.float32) / 4 for _ in range(readouts)]
    places = None
    if distribution == "clustered":
        shared = rng.standard_normal((max(m // PER_PLACE, 2 * C), d), dtype=np.float32)
        places = [_correlated(rng, shared, v) for v in range(readouts)]
    support, y = _draw(rng, n, means, places)
    queries, truth = _draw(rng, m, means, places)
    return Features(support, y, queries, truth)


def _draw(
    rng: np.random.Generator, size: int, means: list[NDArray[Any]], places: list[NDArray[Any]] | None
) -> tuple[tuple[NDArray[Any], ...], NDArray[np.intp]]:
    C, d = means[0].shape
    readouts = tuple(np.empty((size, d), np.float32) for _ in means)
    if places is None:
        y = rng.permutation(np.arange(size) % C)
    else:
        place = rng.permutation(np.arange(size) % len(places[0]))
        y = place % C  # a place belongs to one class
    for start in range(0, size, ROWS):
        rows = slice(start, min(start + ROWS, size))
        noise = rng.standard_normal((rows.stop - start, d), dtype=np.float32)
        for v, H in enumerate(readouts):
            H[rows] = _correlated(rng, noise, v)
            if places is not None:
                H[rows] *= WITHIN_PLACE
                H[rows] += places[v][place[rows]]
            H[rows] += means[v][y[rows]]
    return readouts, y


def _correlated(rng: np.random.Generator, shared: NDArray[Any], view: int) -> NDArray[Any]:
    """The shared part itself for the first readout; for the second, its mixture with another part."""
    if view == 0:
        return shared
    other = rng.standard_normal(shared.shape, dtype=np.float32)
    other *= np.float32(np.sqrt(1 - SHARED**2))
    other += np.float32(SHARED) * shared
    return other
