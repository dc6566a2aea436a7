"""k-nearest neighbours by cosine among the labelled contacts, both readouts side by side.

T. Cover, P. Hart: "Nearest neighbor pattern classification", IEEE Transactions on Information Theory 1967. Each
readout is standardised by the support; the cosine is that of both together. A neighbour votes with
exp(cosine/temperature), as in Z. Wu et al. (CVPR 2018) and DINO's evaluation; every class gets a small vote so that
no probability is zero.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._inputs import Floats, Readouts, Task
from bideta.baselines._prototypes import one_hot, unit_rows
from bideta.baselines._settings import Count, Positive
from bideta.method.readout import Standardizer, standardize

INFO = MethodInfo(
    name="knn",
    title="k-NN",
    reference="Cover and Hart, IEEE Trans. Information Theory, 1967",
    licence="no original code",
    transductive=False,
    readout="both",
)

N_NEIGHBORS = 5  # cut to the number of labelled contacts
TEMPERATURE = 0.07  # Wu et al.
SMOOTHING = 1e-3  # vote of every class, in units of a perfect match


def learn(task: Task, *, n_neighbors: Count = N_NEIGHBORS, temperature: Positive = TEMPERATURE) -> Infer:
    """The labelled contacts at unit length."""
    scale = standardize(np.hstack(task.support.readouts))[0]
    S, Y = _unit(task.support.readouts, scale), one_hot(task.support.y, task.n_classes)
    k = min(n_neighbors, len(S))
    return partial(infer, scale=scale, S=S, Y=Y, k=k, temperature=temperature)


def infer(
    readouts: Readouts, scale: Standardizer, S: Floats, Y: Floats, k: int, temperature: float
) -> Floats:
    """Weighted votes of the k nearest contacts; among ties the first ones of the support count."""
    cosine = _unit(readouts, scale) @ S.T  # (m, n)
    nearest = np.argsort(-cosine, axis=1, kind="stable")[:, :k]
    votes = np.exp((np.take_along_axis(cosine, nearest, axis=1) - 1) / temperature)  # (m, k)
    total: Floats = (votes[:, :, None] * Y[nearest]).sum(axis=1)
    total += SMOOTHING * votes.max(axis=1, keepdims=True)
    return total / total.sum(axis=1, keepdims=True)


def _unit(readouts: Readouts, scale: Standardizer) -> Floats:
    return unit_rows(np.asarray(scale(np.hstack(readouts)), dtype=np.float64))


load = loader(INFO, learn)
