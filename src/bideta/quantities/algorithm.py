"""Quantities in two functions: ``adapt`` learns from labelled contacts, ``infer`` answers for others.

Every contact is answered by itself: nothing depends on which contacts came together. A graph of the queries and the
spectral geometry of the paper were tried and stay out (docs/evidence/quantities.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from bideta.method import Floats, Floats64, Indices
from bideta.quantities.foreign import own_strangeness, strangeness
from bideta.quantities.intervals import quantile
from bideta.quantities.kernels import Matern, linear, typical_square
from bideta.quantities.leave_one_out import by_size
from bideta.quantities.memory import Memory, fit_memory
from bideta.quantities.scaling import Scaler, fit_scaler
from bideta.quantities.stacking import mixture, stack
from bideta.quantities.targets import Target, from_columns, to_columns, wrap

SCALES = (4.0, 16.0, 64.0)  # of the Matérn kernels, in typical squared distances: quantities change slowly
USUAL_SCALE, SCALE_PULL = 5.0, 0.1  # log₂, and how weakly it is preferred
JOINT_SHARE = 0.5  # of the fixed weights: the linear memory of all readouts, which few labels serve best
BLOCK = 2048  # queries that are worked on at a time
FOLDS = 20  # at most: parts of the presses whose stacked residuals are judged with weights from the others


@dataclass(frozen=True)
class Model:
    """Everything that adapting makes."""

    targets: tuple[Target, ...]
    support: tuple[Floats64, ...]  # scaled labelled contacts, (n, d) for each readout
    scalers: tuple[Scaler, ...]
    memories: tuple[Memory, ...]  # one for each readout, and the linear one of all
    weights: Floats64  # (V + 1, K)
    center: Floats64  # (K,) mean of each column of the labels
    spread: Floats64  # (K,)
    scores: Floats64  # (n, T) |residual| / deviation of left-out presses
    left_out: Floats64  # (n, T) answers about the labelled contacts, each without its press
    usual: tuple[float, ...]  # typical squared distance in each readout
    scales: tuple[float, ...]  # of the readouts' kernels, one of ``SCALES`` each
    own_strangeness: Floats64  # (n,)
    n_presses: int


@dataclass(frozen=True)
class Answers:
    """What a model says about m contacts."""

    value: Floats64  # (m, T)
    deviation: Floats64  # (m, T) of the predicted quantity, before any promise
    strangeness: Floats64  # (m,) distance from the labelled contacts


def adapt(
    support: Sequence[Floats],
    Y: Floats64,
    presses: Indices,
    targets: Sequence[Target],
    chosen: Sequence[float] | None = None,
) -> Model:
    """The model of labelled contacts: readouts (n, d) each, quantities Y (n, T), the press of each contact.

    ``chosen`` are the scales of the readouts where an earlier fit has found them (``Model.scales``).
    """
    columns = np.concatenate([to_columns(y, target) for y, target in zip(Y.T, targets, strict=True)], axis=1)
    center, spread = columns.mean(axis=0), columns.std(axis=0)
    constant = spread <= 1e-12 * np.maximum(np.abs(center), np.finfo(float).tiny)
    center, spread = np.where(constant, columns[0], center), np.where(constant, 1.0, spread)
    y = np.where(constant, 0.0, (columns - center) / spread)

    scalers = tuple(map(fit_scaler, support))
    Z = tuple(scaler(H) for scaler, H in zip(scalers, support, strict=True))
    products = [z @ z.T for z in Z]
    groups = by_size(presses)
    usual = tuple(typical_square(P, np.diagonal(P)) for P in products)
    offered = [SCALES] * len(Z) if chosen is None else [(scale,) for scale in chosen]
    memories = [
        fit_memory([(Matern(u * s), _prior(s)) for s in few], P, np.diagonal(P), y, groups)
        for P, u, few in zip(products, usual, offered, strict=True)
    ]
    found = tuple(float(memory.kernel.length / u) for memory, u in zip(memories, usual, strict=True))
    joint = np.sum(products, axis=0)
    memories.append(fit_memory([(linear(np.diagonal(joint)), 0.0)], joint, np.diagonal(joint), y, groups))

    means = np.stack([memory.left_out for memory in memories])  # (E, n, K)
    variances = np.stack([memory.left_out_variance for memory in memories])
    weights = _weights(means, y)
    mean, variance = _held_out(means, variances, y, presses)
    left_out, deviation = _to_targets(mean * spread + center, variance * spread**2, targets)
    residuals = np.stack([wrap(Y[:, t] - left_out[:, t], target) for t, target in enumerate(targets)], axis=1)
    scores = np.divide(np.abs(residuals), deviation, out=np.zeros_like(residuals), where=deviation > 0)
    distances = [_distances(P, np.diagonal(P), np.diagonal(P)) for P in products]
    own = own_strangeness(distances, usual, presses)
    return Model(
        tuple(targets),
        Z,
        scalers,
        tuple(memories),
        weights,
        center,
        spread,
        scores,
        left_out,
        usual,
        found if chosen is None else tuple(chosen),
        own,
        len(np.unique(presses)),
    )


def infer(model: Model, queries: Sequence[Floats]) -> Answers:
    """Values, deviations and strangeness of contacts, each by itself; memory does not grow with their kernels."""
    starts = range(0, len(queries[0]), BLOCK)
    blocks = [_infer(model, [H[start : start + BLOCK] for H in queries]) for start in starts]
    return Answers(
        *(np.concatenate([getattr(block, part.name) for block in blocks]) for part in fields(Answers))
    )


def _infer(model: Model, queries: Sequence[Floats]) -> Answers:
    Z = [scaler(H) for scaler, H in zip(model.scalers, queries, strict=True)]
    products = [q @ z.T for q, z in zip(Z, model.support, strict=True)]
    own = [np.einsum("id,id->i", q, q) for q in Z]
    labelled = [np.einsum("id,id->i", z, z) for z in model.support]
    pairs = list(zip(products, own, labelled, strict=True))
    pairs.append((np.sum(products, axis=0), np.sum(own, axis=0), np.sum(labelled, axis=0)))
    answers = [
        memory(memory.kernel(*pair), memory.kernel.diagonal(pair[1]))
        for memory, pair in zip(model.memories, pairs, strict=True)
    ]
    mean, variance = mixture(
        np.stack([answer[0] for answer in answers]),
        np.stack([answer[1] for answer in answers]),
        model.weights,
    )
    value, deviation = _to_targets(
        mean * model.spread + model.center, variance * model.spread**2, model.targets
    )
    distances = [_distances(P, a, b) for P, a, b in pairs[:-1]]
    return Answers(value, deviation, strangeness(distances, model.usual))


def half_widths(model: Model, deviation: Floats64, coverage: float) -> Floats64:
    """(m, T) half the width of intervals of this coverage; an angle's never exceeds half a period."""
    widths = np.empty_like(deviation)
    for t, target in enumerate(model.targets):
        q = quantile(model.scores[:, t], model.n_presses, coverage)
        widths[:, t] = q * deviation[:, t] if np.isfinite(q) else np.inf
        if target.period is not None:
            widths[:, t] = np.minimum(widths[:, t], target.period / 2)
    return widths


def _prior(scale: float) -> float:
    """Logarithm of how much a scale is preferred before any label."""
    return -SCALE_PULL * float(np.log2(scale) - USUAL_SCALE) ** 2


def _weights(means: Floats64, y: Floats64) -> Floats64:
    """(E, K) weights of the memories."""
    V = len(means) - 1
    fixed = np.append(np.full(V, (1 - JOINT_SHARE) / V), JOINT_SHARE)
    return np.stack([stack(means[:, :, k], y[:, k], fixed) for k in range(y.shape[1])], axis=1)


def _held_out(
    means: Floats64, variances: Floats64, y: Floats64, presses: Indices
) -> tuple[Floats64, Floats64]:
    """(n, K) stacked answers for left-out presses, with weights that their part of the presses had no say in."""
    names = np.unique(presses)
    folds = min(FOLDS, len(names))
    fold = (np.searchsorted(names, presses)) % folds
    mean, variance = np.empty_like(y), np.empty_like(y)
    for part in range(folds):
        here = fold == part
        weights = _weights(means[:, ~here], y[~here])
        mean[here], variance[here] = mixture(means[:, here], variances[:, here], weights)
    return mean, variance


def _distances(products: Floats64, a: Floats64, b: Floats64) -> Floats64:
    return np.maximum(a[:, None] + b - 2 * products, 0.0)


def _to_targets(mean: Floats64, variance: Floats64, targets: Sequence[Target]) -> tuple[Floats64, Floats64]:
    """(m, T) values and deviations of the targets behind the columns."""
    values, deviations, k = [], [], 0
    for target in targets:
        width = 1 if target.period is None else 2
        value, deviation = from_columns(mean[:, k : k + width], variance[:, k : k + width], target)
        values.append(value)
        deviations.append(deviation)
        k += width
    return np.stack(values, axis=1), np.stack(deviations, axis=1)
