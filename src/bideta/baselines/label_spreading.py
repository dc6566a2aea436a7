"""Label spreading over the graph of labelled contacts and queries.

D. Zhou, O. Bousquet, T. N. Lal, J. Weston, B. Schölkopf: "Learning with Local and Global Consistency", NeurIPS 2003;
scikit-learn's ``LabelSpreading``, given our graph.

F ← αSF + (1 − α)Y with S the normalised graph. scikit-learn's own k-NN graph is directed and counts every contact
among its own neighbours; ours joins each contact to its k nearest others, weights the edge exp(cosine/τ_g) as
the paper does, and is symmetric. ``geometry="spectral"`` takes cosines in the paper's geometry (Eqs. 4–5),
``"raw"`` on the readouts as they come; all readouts count alike. k, τ_g and γ are the paper's. A query that no
label reaches is given every class alike.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Literal

import numpy as np
from scipy.sparse import csr_array
from sklearn.semi_supervised import LabelSpreading

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._anchor import Adapted, adapt_readouts, standardize
from bideta.baselines._graph import neighbor_graph
from bideta.baselines._inputs import Floats, Labels, Readouts, Task
from bideta.baselines._prototypes import unit_rows
from bideta.baselines._settings import Amount, Count, Positive
from bideta.method.spectrum import MatrixFunction, gains

INFO = MethodInfo(
    name="label-spreading",
    title="Label spreading",
    reference="Zhou et al., Learning with Local and Global Consistency, NeurIPS 2003",
    licence="BSD-3-Clause",
    transductive=True,
    readout="both",
)

Geometry = Literal["spectral", "raw"]

GAMMA = 0.6  # spectral exponent γ, the paper's for classification
TEMPERATURE = 0.2  # τ_g, likewise
N_NEIGHBORS = 40  # k, likewise
ALPHA = 0.8  # part of the neighbours in a label; 0.5 and 0.95 were within two points on small trials
MAX_ITER, TOLERANCE = 1000, 1e-6


def learn(
    task: Task,
    *,
    geometry: Geometry = "spectral",
    alpha: Amount = ALPHA,
    n_neighbors: Count = N_NEIGHBORS,
    temperature: Positive = TEMPERATURE,
) -> Infer:
    """The labelled contacts in their geometry."""
    adapted = adapt_readouts(task, gamma=GAMMA) if geometry == "spectral" else None
    spread_ = partial(spread, y=task.support.y, alpha=alpha, n_neighbors=n_neighbors, temperature=temperature)
    return partial(infer, adapted=adapted, S=directions(task.support.readouts, adapted), spread_=spread_)


def infer(readouts: Readouts, adapted: Adapted | None, S: Floats, spread_: partial[Floats]) -> Floats:
    """Distributions of the queries."""
    return spread_(np.vstack([S, directions(readouts, adapted)]))


def directions(readouts: Readouts, adapted: Adapted | None) -> Floats:
    """Unit rows whose products are the mean of the readouts' cosines, raw where nothing was adapted."""
    images = list(readouts)
    if adapted is not None:
        images = [standardize(readout, H) for readout, H in zip(adapted, readouts, strict=True)]
        images = [
            MatrixFunction(readout.covariance.vectors, *gains(readout.covariance, readout.gamma))(X)
            for readout, X in zip(adapted, images, strict=True)
        ]
    return np.hstack([unit_rows(X) for X in images]) / np.sqrt(len(images))


def spread(X: Floats, y: Labels, alpha: float, n_neighbors: int, temperature: float) -> Floats:
    """Labels y of the first rows of X spread over all of them; distributions of the others."""
    graph = partial(affinity, n_neighbors=n_neighbors, temperature=temperature)
    labels = np.concatenate([y, np.full(len(X) - len(y), -1)])  # −1: unknown
    model = LabelSpreading(kernel=graph, alpha=alpha, max_iter=MAX_ITER, tol=TOLERANCE)
    # Of many classes and few contacts scikit-learn says that they may be no classes.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        model.fit(X, labels)
    P: Floats = model.label_distributions_[len(y) :]
    return np.where(P.sum(axis=1, keepdims=True) > 0, P, 1 / P.shape[1])


def affinity(X: Floats, _: Floats, n_neighbors: int, temperature: float) -> csr_array:
    """Symmetric graph of the nearest neighbours; scikit-learn passes the rows twice."""
    W = neighbor_graph(X, n_neighbors, lambda cosines: np.exp((cosines - 1) / temperature))
    return W.maximum(W.T.tocsr()).tocsr()


load = loader(INFO, learn)
