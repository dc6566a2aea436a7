"""What a changed gel, focus or light costs: labelled contacts are hidden, moved as the batch has moved, and asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bideta.classifier import Classifier
from bideta.deploy.trust.evidence import batch_of
from bideta.deploy.trust.hidden_support import HeldOut, hold_out
from bideta.method import Floats
from bideta.method.algorithm import Inference
from bideta.sensor import Sensor

# contacts of a batch among which labelled ones are hidden; more would cost time and change nothing
MOST = 2048
TINY = 1e-12  # share of a class, so that some class with contacts of the present gel has one


def hold_out_moved(
    adapted: Classifier, result: Inference, X: Sequence[Floats], held: HeldOut, odd: Sequence[int] = ()
) -> HeldOut:
    """``hold_out``, but the hidden contacts are asked as if they had been recorded in a shifted batch.

    Args:
        adapted: a fitted ``Bideta``.
        result: ``adapted.infer(X)``.
        X: the readouts of the batch, as ``infer`` got them.
        held: ``hold_out(adapted, X)``, which knows the presses.
        odd: rows of the batch that are foreign by themselves: they say nothing of the shift.
    """
    batch = batch_of(adapted, result, X)
    moved = moved_support(adapted.sensor_, result, batch, odd)
    m = len(batch[0])
    if m > MOST:
        some = np.sort(np.random.default_rng(0).permutation(m)[:MOST])
        batch = tuple(H[some] for H in batch)
    return hold_out(adapted, batch, presses=held.labelled_presses, moved=moved)


def moved_support(
    sensor: Sensor, result: Inference, batch: Sequence[Floats], odd: Sequence[int] = ()
) -> tuple[Floats, ...]:
    """(n, d) for each readout: the labelled contacts where a shifted batch would have them.

    Each readout is moved by the difference of two means: that of the batch, and that of the labelled contacts in the
    mix of classes that the batch was answered with. What the mix explains is no shift.
    """
    rows = np.setdiff1d(np.arange(len(batch[0])), odd)
    present = np.arange(len(sensor.labels)) >= sensor.earlier  # an earlier gel's contacts lie elsewhere
    counts = np.bincount(sensor.labels[present], minlength=len(sensor.classes))
    share = (result.proba[rows].mean(axis=0) + TINY) / np.maximum(counts, 1)
    weights = present * share[sensor.labels]  # (n,)
    weights /= weights.sum()
    moved = []
    for H, S in zip(batch, sensor.support, strict=True):
        with np.errstate(over="ignore", invalid="ignore"):  # readouts of extreme size stay where they are
            there = (S + (H[rows].mean(axis=0, dtype=np.float64) - weights @ S)).astype(S.dtype)
        moved.append(np.where(np.isfinite(there), there, S))
    return tuple(moved)
