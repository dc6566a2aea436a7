"""What the method says about its own labelled contacts when their labels are hidden: the base of every promise.

Folds of the support are hidden in turn; the rest adapts, and the hidden contacts stand among the queries as if
nobody knew them. The method treats all contacts of a batch alike, so where support and queries come from the
same source, hidden contacts and queries are exchangeable although the answers are joint.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import block_diag, csr_array, vstack

from bideta.classifier import Classifier
from bideta.deploy.folds import FOLDS, contents, hidden_folds
from bideta.deploy.trust.evidence import AGREEMENT, STRANGENESS, agreement, strangeness
from bideta.deprecation import renamed_argument
from bideta.extensions.presses import labelled_presses, press_of
from bideta.method import Floats, Floats64, Indices
from bideta.method.algorithm import Inference

JOINT = 64  # queries: hidden contacts join a batch of at least this many; below, they come in batches of that size
PARTS = 64  # such batches in each fold, at most: a single query is calibrated on 320 contacts


@dataclass(frozen=True)
class HeldOut:
    """Answers about h hidden contacts, each by a method that did not know its label.

    Attributes:
        labels: (h,) class indices
        folds: (h,) which fold hid the contact
        presses: (h,) which press it is of: frames of one press are one piece of evidence
        proba: (h, C) class probabilities
        agreement: (h, 4), see ``evidence``
        strangeness: (h, 4), see ``evidence``
        queries: (K, m, C) what each fold's method says about the queries
        labelled_presses: (n,) the press of every labelled contact, hidden or not; None: as the sensor knows them
    """

    labels: Indices
    folds: Indices
    presses: Indices
    proba: Floats64
    agreement: Floats64
    strangeness: Floats64
    queries: Floats64
    labelled_presses: Indices | None = None

    @property
    def right(self) -> NDArray[np.bool_]:
        """(h,) whether the most probable class was the true one."""
        right: NDArray[np.bool_] = self.proba.argmax(axis=1) == self.labels
        return right

    @property
    def n_presses(self) -> int:
        """How many presses the hidden contacts are of."""
        return len(np.unique(self.presses))

    def __len__(self) -> int:
        return len(self.labels)


@renamed_argument("groups", "presses")
def hold_out(
    adapted: Classifier,
    X: Any,
    *,
    presses: ArrayLike | None = None,
    folds: int = FOLDS,
    seed: int = 0,
    moved: Sequence[Floats] | None = None,
) -> HeldOut:
    """The support, hidden fold by fold and asked about together with the queries X.

    Frames of one press are hidden together, or the method would recognise a contact by its neighbours in time and
    promise too much: ``presses`` numbers the press of each labelled contact where the fit was not told. The only press
    of a class stays visible; with one for each class nothing can be hidden and the result is empty. Costs ``folds``
    times an adaptation and an inference.

    Args:
        adapted: a fitted ``Bideta``.
        X: the readouts of the queries.
        presses: (n,) the press of each labelled contact; None: as the fit was told.
        folds: parts that the labelled contacts are hidden in.
        seed: of the folds.
        moved: (n, d) for each readout, asked in place of the hidden contacts (``shift.moved_support``); None: they are
            asked as they are.
    """
    batch = adapted.readouts(X)
    sensor = adapted.sensor()
    y, m = sensor.labels, len(batch[0])
    if presses is not None:
        sensor = replace(sensor, presses=labelled_presses(presses, y))
    press = press_of(y, sensor.presses)[1]  # numbers may be given anew in every class
    hidden_ones = sensor.support if moved is None else moved
    content = contents(sensor.support)
    parts: list[tuple[Any, ...]] = []
    queries = []
    for number, (rows, rest) in enumerate(hidden_folds(sensor, folds=folds, seed=seed)):
        if m >= JOINT:
            both = tuple(np.concatenate([H, S[rows]]) for H, S in zip(batch, hidden_ones, strict=True))
            result = rest.infer(both)
            queries.append(result.proba[:m])
            proba = result.proba[m:]
            clues = agreement(rest, result, both, slice(m, None)), strangeness(rest, result, both)[m:]
        else:
            queries.append(rest.infer(batch).proba)
            batches = list(_batches(rows[np.argsort(content[rows], kind="stable")], m, seed))
            rows = np.concatenate(batches)
            hidden = tuple(S[rows] for S in hidden_ones)
            result = _merge([rest.infer(tuple(S[some] for S in hidden_ones)) for some in batches])
            batch_of = np.repeat(np.arange(len(batches)), [len(some) for some in batches])
            proba = result.proba
            clues = agreement(rest, result, hidden), strangeness(rest, result, hidden, batch_of)
        parts.append((y[rows], np.full(len(rows), number), press[rows], proba, *clues))
    if not parts:
        none, C = np.zeros(0, np.intp), len(sensor.classes)
        clues = np.zeros((0, len(AGREEMENT))), np.zeros((0, len(STRANGENESS)))
        return HeldOut(none, none, none, np.zeros((0, C)), *clues, np.zeros((0, m, C)), press)
    labels, fold, pressed, proba, agrees, strange = map(np.concatenate, zip(*parts, strict=True))
    return HeldOut(labels, fold, pressed, proba, agrees, strange, np.stack(queries), press)


def hidden_answers(adapted: Classifier, *, folds: int = FOLDS, seed: int = 0) -> NDArray[np.bool_]:
    """(h,) which labelled contacts get their label from the others when they are hidden in turn, a fold at a time.

    Before there is any query: how well the labelled contacts hang together. Empty where no class has two presses.

    Args:
        adapted: a fitted ``Bideta``.
        folds: parts that the labelled contacts are hidden in.
        seed: of the folds.
    """
    sensor = adapted.sensor()
    right = np.zeros(0, np.bool_)
    for rows, rest in hidden_folds(sensor, folds=folds, seed=seed):
        said = rest.infer(tuple(S[rows] for S in sensor.support)).proba.argmax(axis=1)
        right = np.append(right, said == sensor.labels[rows])
    return right


def held_for(adapted: Classifier, X: Any, held: HeldOut | None) -> HeldOut:
    """``held`` where it is given, else ``hold_out(adapted, X)``."""
    return hold_out(adapted, X) if held is None else check_held(held)


def check_held(held: Any) -> HeldOut:
    """``held`` itself, or an error where it is something else."""
    if not isinstance(held, HeldOut):
        raise ValueError(f"held is a {type(held).__name__}, expected what hold_out(adapted, X) returns")
    return held


def _merge(results: Sequence[Inference]) -> Inference:
    """Answers of several batches as those of one whose graph joins only contacts of the same batch."""

    def rows(name: str) -> Any:
        return np.concatenate([getattr(result, name) for result in results])

    first = results[0]
    to_support = [result.support_graph for result in results if result.support_graph is not None]
    return replace(
        first,
        views=tuple(np.concatenate(part) for part in zip(*(result.views for result in results), strict=True)),
        anchor=rows("anchor"),
        graph=csr_array(block_diag([result.graph for result in results])),
        ambiguity=rows("ambiguity"),
        disagreement=rows("disagreement"),
        gate=rows("gate"),
        proba=rows("proba"),
        support_graph=csr_array(vstack(to_support)) if to_support else None,
    )


def _batches(rows: Indices, m: int, seed: int) -> Iterator[Indices]:
    """Hidden contacts in batches of m, in random order; an incomplete last one is left out where there are others."""
    mixed = np.random.default_rng(seed).permutation(rows)
    for part, start in enumerate(range(0, len(mixed), m)):
        some = mixed[start : start + m]
        if part and (len(some) < m or part >= PARTS):
            return
        yield some
