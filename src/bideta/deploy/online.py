"""OnlineBideta: one contact at a time, with bounded memory."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bideta.deploy._enrol import place_label
from bideta.deploy._joint import JointState
from bideta.deploy._statistics import SupportStatistics
from bideta.deploy._window import Window
from bideta.estimator import Bideta
from bideta.method import algorithm
from bideta.method.standardize import Floats
from bideta.parameters import check_number, check_prior
from bideta.views import DTYPES, numpy_of, split_columns


@dataclass(frozen=True)
class Answer:
    """What is known about one contact, jointly with the others of the window."""

    index: int  # running number of the contact, from 0
    label: Any
    proba: NDArray[np.float64]  # (C,) in the order of ``adapted.classes_``
    anchor: NDArray[np.float64]  # (C,) what the memory says, before the graph


class OnlineBideta:
    """Answers for a stream of contacts of one adapted sensor; corrections become labelled contacts.

    A contact is ``(h1, h2)``, one row of each readout (or one row where the sensor was fitted on one array).
    The contacts of the window are answered jointly; while no contact has left it and none of them has been
    labelled, ``revise()`` is what ``adapted.predict_proba`` says of all of them at once.

    window: contacts kept at most.
    reservoir: how many of them are older ones of every class (see ``Window``) rather than the newest; half of the
        window if None. 0 is a plain sliding window.
    max_support: labelled contacts kept for each class; the oldest of the class makes room. None keeps all.
    seed: of the reservoir's random choices.

    Cost, with m contacts in the window and n labelled ones in the graph (0 without ``support_nodes``):
    ``predict_one`` is O(d² + (n + m)·d + m·(n + m)), see ``WindowGraphs``. ``learn_one`` is a rank-one update,
    O(n·d + d²); the first answer after it decomposes the new covariance and projects everything again,
    O(min(n, d)³ + (n + m)·d² + n²·d). ``revise()`` in an idle moment takes that cost away from ``predict_one``.

    >>> rng = np.random.default_rng(0)
    >>> names = np.repeat(["bolt", "coin", "key"], 20)
    >>> h1, h2 = (rng.normal(size=(3, d)).repeat(20, axis=0) + rng.normal(size=(60, d)) / 2 for d in (8, 12))
    >>> few = slice(None, None, 4)
    >>> online = OnlineBideta(Bideta().fit((h1[few], h2[few]), names[few]))
    >>> str(online.predict_one((h1[1], h2[1])).label)
    'bolt'
    >>> online.learn_one((h1[1] + 9, h2[1] - 9), "nut")
    >>> [str(name) for name in online.adapted.classes_]
    ['bolt', 'coin', 'key', 'nut']
    """

    def __init__(
        self,
        adapted: Bideta,
        window: int = 256,
        *,
        reservoir: int | None = None,
        max_support: int | None = None,
        seed: int = 0,
    ) -> None:
        check_is_fitted(adapted)
        check_number("window", window, int, low=1)
        reservoir = window // 2 if reservoir is None else reservoir
        check_number("reservoir", reservoir, int, low=0, below=window, alternative="None")
        if max_support is not None:
            most = int(np.bincount(adapted.support_labels_).max())
            hint = f"the sensor already has {most} labelled contacts of one class"
            check_number("max_support", max_support, int, low=most, alternative="None", hint=hint)
        self._adapted = adapted
        self._max_support = max_support
        self._window = Window(window, reservoir, seed)
        self._contacts = tuple(np.zeros((window, H.shape[1])) for H in adapted.support_)  # rows are slots
        self._arrivals = np.zeros(window, np.int64)
        self._known = np.full(window, -1, np.intp)  # class index where a contact's label was learned
        self._seen = 0
        self._statistics: tuple[SupportStatistics, ...] | None = None  # made when the first label comes
        self._learned = False  # labels were counted that ``_adapted`` does not reflect yet
        self._state: JointState | None = None  # of the window under ``_adapted``

    @property
    def adapted(self) -> Bideta:
        """The sensor as it is now, with the contacts learned since: for batches, and to be saved."""
        if self._learned:
            self._adapt()
        return self._adapted

    def predict_one(self, contact: Any) -> Answer:
        """The answer for a new contact, jointly with those in the window; it stays in the window."""
        views = self._check(contact)
        state = self._current()
        slot = self._window.admit(state.proba.argmax(axis=1))
        for rows, H in zip(self._contacts, views, strict=True):
            rows[slot] = H[0]
        self._arrivals[slot], self._known[slot] = self._seen, -1
        self._seen += 1
        state.place(slot, views, self._seen - 1)
        state.infer()
        return self._answer(state, slot)

    def revise(self) -> list[Answer]:
        """What the contacts in the window are by now, oldest first."""
        state = self._current()
        return [self._answer(state, int(slot)) for slot in np.argsort(self._arrivals[: len(self._window)])]

    def learn_one(self, contact: Any, label: Any) -> None:
        """Make a contact a labelled one. A label not seen before enrols a new class, at its place in ``classes_``.

        Afterwards the sensor is what a fit on all labelled contacts gives, to rounding. The contact need not have
        been predicted. Where it is in the window (the same numbers) it stays there, and is what it was said to be.
        A contact that is labelled already (the same numbers) gets the new label; a class that has no other is gone.
        """
        if label is None or (isinstance(label, str) and not label.strip()):
            raise ValueError(
                f"label is {label!r}, expected the name of a class; a contact without one is not learned"
            )
        views = self._check(contact)
        sensor, learned, known = self._adapted, self._statistics, self._known.copy()
        labelled = _same_rows(sensor.support_, views)
        if 0 < len(labelled) < len(sensor.support_labels_):  # said again: what was said before is taken back
            sensor, classes_left = _without(sensor, labelled)
            known = np.where(np.isin(known, classes_left), np.searchsorted(classes_left, known), -1)
            learned = None
        c, classes = place_label(label, sensor.classes_)
        enrol = len(classes) > len(sensor.classes_)
        if len(classes) != len(self._adapted.classes_) and not (
            sensor.prior is None or isinstance(sensor.prior, str)
        ):
            change = "is new" if enrol else "leaves a class without contacts"
            raise ValueError(
                f"label {label!r} {change} and prior= has {len(self._adapted.classes_)} numbers, one for each known "
                'class; to change classes while running, fit with prior="support" or None'
            )
        if learned is None:
            learned = tuple(
                SupportStatistics(H, sensor.support_labels_, len(sensor.classes_)) for H in sensor.support_
            )
        for statistics, H in zip(learned, views, strict=True):
            statistics.check(H[0])
        y = sensor.support_labels_ + (enrol & (sensor.support_labels_ >= c))
        y = np.append(y, c)
        groups = np.append(sensor.support_groups_, sensor.support_groups_.max() + 1)  # a press of its own
        support = tuple(np.concatenate(pair) for pair in zip(sensor.support_, views, strict=True))
        for statistics, H in zip(learned, views, strict=True):
            statistics.learn(H[0], c, enrol=enrol)
        members = np.flatnonzero(y == c)
        if self._max_support is not None and len(members) > self._max_support:
            oldest, others = members[0], members[1:]
            for statistics, H in zip(learned, support, strict=True):
                statistics.forget(H[oldest], c, H[others])
            support = tuple(np.delete(H, oldest, axis=0) for H in support)
            y, groups = np.delete(y, oldest), np.delete(groups, oldest)
        known[enrol & (known >= c)] += 1
        m = len(self._window)
        known[_same_rows([rows[:m] for rows in self._contacts], views)] = c
        self._statistics, self._known = learned, known
        self._adapted = copy.copy(sensor)  # whoever holds the old one keeps what it was
        self._adapted.classes_, self._adapted.support_ = classes, support
        self._adapted.support_labels_, self._adapted.support_groups_ = y, groups
        self._learned, self._state = True, None

    def _adapt(self) -> None:
        """Bring the sensor up to date with what was learned: one decomposition, however many labels came."""
        sensor = self._adapted
        assert self._statistics is not None
        counts = np.bincount(sensor.support_labels_)
        sensor.prior_ = check_prior(sensor.prior, counts)
        memory_prior = counts / counts.sum() if sensor.prior_ is None else sensor.prior_
        sensor.readouts_ = tuple(
            statistics.adapt(
                H, sensor.support_labels_, memory_prior, shrinkage=sensor.shrinkage, gamma=sensor.gamma
            )
            for statistics, H in zip(self._statistics, sensor.support_, strict=True)
        )
        if sensor.support_nodes:
            sensor.nodes_ = algorithm.support_nodes(
                sensor.readouts_, sensor.support_, sensor.support_labels_, sensor.geometry
            )
        if sensor.rule_ is not None:
            sensor.rule_, sensor._rule_of = sensor._prior_rule(), sensor.readouts_
        self._learned = False

    def _current(self) -> JointState:
        """The window under the sensor as it is now; made anew where labels were learned."""
        sensor = self.adapted
        if self._state is None:
            m = len(self._window)
            self._state = JointState(sensor, self._known)
            if m:
                self._state.fill([rows[:m] for rows in self._contacts], self._arrivals[:m])
                self._state.infer()
        return self._state

    def _answer(self, state: JointState, slot: int) -> Answer:
        proba, anchor = state.proba[slot].copy(), state.anchor[slot].copy()
        label = state.adapted.classes_[proba.argmax()]
        return Answer(int(self._arrivals[slot]), label, proba, anchor)

    def _check(self, contact: Any) -> tuple[Floats, ...]:
        """The contact's readouts as arrays of one row; raises where it does not fit, before anything changes."""
        if isinstance(contact, tuple):
            views = tuple(_row(h, f"readout {v} of the contact") for v, h in enumerate(contact, 1))
        else:
            views = split_columns(_row(contact, "the contact"), self._adapted.split)
        found, expected = ([H.shape[1] for H in of] for of in (views, self._adapted.support_))
        if found != expected:
            raise ValueError(
                f"the contact has readouts of {found} features, the sensor was adapted with {expected}"
            )
        return views


def _same_rows(tables: Sequence[Floats], views: Sequence[Floats]) -> NDArray[np.intp]:
    """Rows that hold this contact: the same numbers in every readout."""
    return np.flatnonzero(
        np.all([(rows == H).all(axis=1) for rows, H in zip(tables, views, strict=True)], axis=0)
    )


def _without(sensor: Bideta, rows: NDArray[np.intp]) -> tuple[Bideta, NDArray[np.intp]]:
    """The sensor without these labelled contacts, not yet adapted, and which of its classes are left."""
    left, y = np.unique(np.delete(sensor.support_labels_, rows), return_inverse=True)
    sensor = copy.copy(sensor)
    sensor.classes_, sensor.support_labels_ = sensor.classes_[left], y
    sensor.support_groups_ = np.delete(sensor.support_groups_, rows)
    sensor.support_ = tuple(np.delete(H, rows, axis=0) for H in sensor.support_)
    return sensor, left


def _row(h: Any, name: str) -> Floats:
    """One contact as a table of one row, float32 or float64; finite."""
    row = np.asarray(numpy_of(h))
    if row.ndim == 1:
        row = row[None]
    if row.ndim != 2 or len(row) != 1:
        raise ValueError(
            f"{name} has shape {np.shape(h)}: expected one contact, a vector of features; a contact is a tuple "
            "(h1, h2), and a batch of them is for adapted.predict"
        )
    if row.dtype not in DTYPES:
        try:
            row = row.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} does not hold numbers ({error})") from error
    if not np.isfinite(row).all():
        raise ValueError(f"{name} contains NaN or infinity: leave out frames that could not be encoded")
    return row
