"""Other ways to search a batch: exactly by several workers, or approximately."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.method import Floats
from bideta.method.graph import Neighbors
from bideta.method.readout import Directions
from bideta.neighbors.blocked import nearest_of
from bideta.neighbors.search import nearest
from bideta.neighbors.ties import Precise

MINIMUM_RECALL = 0.95
SAMPLE = 500  # queries whose exact neighbours measure the recall: standard error below 0.002 at k = 40


def approximate(Q: Directions, k: int, n_jobs: int | None = None) -> Neighbors:
    """Neighbours by nearest-neighbour descent, with the recall measured on a sample.

    Whitened features, which the spectral step makes, are hard for every index: where the recall is below
    ``MINIMUM_RECALL`` the result is thrown away and the exact search is used, with a warning.
    """
    try:
        from pynndescent import NNDescent
    except ImportError as error:
        raise ImportError(
            "neighbors='approximate' needs pynndescent: pip install 'bideta[neighbors]'"
        ) from error
    rows, m = Q.rows, len(Q.rows)
    if m <= 4 * (k + 1):  # too few for an index
        return nearest(Q, k, n_jobs=n_jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its notes on thread counts and compilation are not for our users
        index = NNDescent(np.asarray(rows, np.float32), "cosine", n_neighbors=k + 1, random_state=0)
        indices = _without_self(index.neighbor_graph[0], k)
    sample = np.random.default_rng(0).choice(m, min(SAMPLE, m), replace=False)
    truth = nearest_of(rows, sample, k)[0]
    recall = float(np.mean([np.isin(t, f).mean() for t, f in zip(truth, indices[sample], strict=True)]))
    if recall < MINIMUM_RECALL:
        warnings.warn(
            f"approximate neighbours find only {recall:.0%} of the true ones in this batch of {m} "
            f"(needed: {MINIMUM_RECALL:.0%}); using the exact search",
            stacklevel=2,
        )
        return nearest(Q, k, n_jobs=n_jobs)
    similarities = np.empty(indices.shape, rows.dtype)
    for start in range(0, m, 1024):
        some = slice(start, start + 1024)
        similarities[some] = np.einsum("id,ikd->ik", rows[some], rows[indices[some]], optimize=True)
    return Neighbors(indices, similarities, recall)


def distributed(rows: Floats, k: int, precise: Precise | None, *, n_jobs: int | None) -> Neighbors:
    """Exact neighbours, rows shared among Ray tasks; the same answer as ``nearest``."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("n_jobs > 1 needs Ray: pip install 'bideta[ray]'") from error
    if not ray.is_initialized():
        ray.init(num_cpus=n_jobs, include_dashboard=False, log_to_driver=False)
    task: Any = ray.remote(num_cpus=1)(nearest_of)
    shared, looked_up = ray.put(np.ascontiguousarray(rows)), ray.put(precise)
    # Smaller than a share each: a slow worker holds up less.
    pieces = np.array_split(np.arange(len(rows)), 4 * (n_jobs or 1))
    parts = ray.get([task.remote(shared, piece, k, looked_up) for piece in pieces if len(piece)])
    indices, similarities = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Neighbors(indices, similarities)


def _without_self(indices: NDArray[np.int32], k: int) -> NDArray[np.int32]:
    """k columns of (m, k + 1): each row without itself, or without its last where it is not among its own."""
    m = len(indices)
    dropped = indices == np.arange(m)[:, None]
    dropped[~dropped.any(axis=1), -1] = True
    return np.sort(indices[~dropped].reshape(m, k), axis=1).astype(np.int32)
