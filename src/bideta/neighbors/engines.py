"""How a batch's neighbours are searched: exactly here, exactly by several workers, or approximately."""

from __future__ import annotations

import functools
import importlib.util
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.method.standardize import Floats
from bideta.neighbors.search import Neighbors, nearest, nearest_of
from bideta.neighbors.ties import Precise

EXACT_UP_TO = (
    200_000  # queries; exact cost grows as m², some minutes for two readouts at this size on two cores
)
MINIMUM_RECALL = 0.95
SAMPLE = 500  # queries whose exact neighbours measure the recall: standard error below 0.002 at k = 40

Search = Callable[[Floats, int, Precise | None], Neighbors]


def choose(neighbors: str, n_jobs: int | None) -> Search:
    """The search for a setting of ``Bideta``."""
    exact: Search = nearest if n_jobs in (None, 1) else functools.partial(distributed, n_jobs=n_jobs)
    if neighbors == "exact":
        return exact
    if neighbors == "approximate":
        return functools.partial(approximate, exact=exact)

    def automatic(Q: Floats, k: int, precise: Precise | None = None) -> Neighbors:
        if len(Q) <= EXACT_UP_TO or importlib.util.find_spec("pynndescent") is None:
            return exact(Q, k, precise)
        return approximate(Q, k, precise, exact=exact)

    return automatic


def approximate(Q: Floats, k: int, precise: Precise | None = None, exact: Search = nearest) -> Neighbors:
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
    m = len(Q)
    if m <= 4 * (k + 1):  # too few for an index
        return exact(Q, k, precise)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its notes on thread counts and compilation are not for our users
        graph = NNDescent(
            np.asarray(Q, np.float32), "cosine", n_neighbors=k + 1, random_state=0
        ).neighbor_graph
    indices = _without_self(graph[0], k)
    sample = np.random.default_rng(0).choice(m, min(SAMPLE, m), replace=False)
    truth = nearest_of(Q, sample, k).indices
    recall = float(np.mean([np.isin(t, f).mean() for t, f in zip(truth, indices[sample], strict=True)]))
    if recall < MINIMUM_RECALL:
        warnings.warn(
            f"approximate neighbours find only {recall:.0%} of the true ones in this batch of {m} "
            f"(needed: {MINIMUM_RECALL:.0%}); using the exact search",
            stacklevel=2,
        )
        return exact(Q, k, precise)
    similarities = np.empty(indices.shape, Q.dtype)
    for start in range(0, m, 1024):
        rows = slice(start, start + 1024)
        similarities[rows] = np.einsum("id,ikd->ik", Q[rows], Q[indices[rows]], optimize=True)
    return Neighbors(indices, similarities, recall)


def distributed(Q: Floats, k: int, precise: Precise | None = None, *, n_jobs: int) -> Neighbors:
    """Exact neighbours, rows shared among Ray tasks; the same answer as ``nearest``."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("n_jobs > 1 needs Ray: pip install 'bideta[ray]'") from error
    if not ray.is_initialized():
        ray.init(num_cpus=n_jobs, include_dashboard=False, log_to_driver=False)
    task: Any = ray.remote(num_cpus=1)(nearest_of)
    shared, looked_up = ray.put(np.ascontiguousarray(Q)), ray.put(precise)
    pieces = np.array_split(
        np.arange(len(Q)), 4 * n_jobs
    )  # smaller than a share each: a slow worker holds up less
    parts = ray.get([task.remote(shared, piece, k, looked_up) for piece in pieces if len(piece)])
    return Neighbors(
        np.concatenate([part.indices for part in parts]),
        np.concatenate([part.similarities for part in parts]),
    )


def _without_self(indices: NDArray[np.int32], k: int) -> NDArray[np.int32]:
    """k columns of (m, k + 1): each row without itself, or without its last where it is not among its own."""
    m = len(indices)
    dropped = indices == np.arange(m)[:, None]
    dropped[~dropped.any(axis=1), -1] = True
    return np.sort(indices[~dropped].reshape(m, k), axis=1).astype(np.int32)
