"""OnlineBideta: one contact at a time, with bounded memory."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.checks import as_floats, check_number, split_columns
from bideta.classifier import Classifier
from bideta.deploy.online.labelled_contacts import LabelledContacts, place_label, same_rows
from bideta.deploy.online.window import Window
from bideta.deploy.online.window_answers import WindowAnswers
from bideta.method import Floats


@dataclass(frozen=True)
class Answer:
    """What is known about one contact, jointly with the others of the window.

    Attributes:
        index: running number of the contact, from 0
        label: the most probable class
        proba: (C,) in the order of ``adapted.classes_``
        anchor: (C,) what the memory says, before the graph
    """

    index: int
    label: Any
    proba: NDArray[np.float64]
    anchor: NDArray[np.float64]


class OnlineBideta:
    """Answers for a stream of contacts of one adapted sensor; corrections become labelled contacts.

    A contact is ``(h1, h2)``, one row of each readout (or one row where the sensor was fitted on one array).
    The contacts of the window are answered jointly; while no contact has left it and none of them has been
    labelled, ``revise()`` is what ``adapted.predict_proba`` says of all of them at once.

    Cost, with m contacts in the window and n labelled ones in the graph (0 without ``support_nodes``):
    ``predict_one`` is O(d² + (n + m)·d + m·(n + m)), see ``WindowGraphs``. ``learn_one`` is a rank-one update,
    O(n·d + d²); the first answer after it decomposes the new covariance and projects everything again,
    O(min(n, d)³ + (n + m)·d² + n²·d). ``revise()`` in an idle moment takes that cost away from ``predict_one``.

    Args:
        adapted: the sensor; it is not changed.
        window: contacts kept at most.
        reservoir: how many of them are older ones of every class (see ``Window``) rather than the newest; half of
            the window if None. 0 is a plain sliding window.
        max_support: labelled contacts kept for each class; the oldest of the class makes room. None keeps all.
        seed: of the reservoir's random choices.

    >>> from bideta import Bideta
    >>> rng = np.random.default_rng(0)
    >>> names = np.repeat(["bolt", "coin", "key"], 20)
    >>> h1, h2 = (rng.normal(size=(3, d)).repeat(20, axis=0) + rng.normal(size=(60, d)) / 2 for d in (8, 12))
    >>> few = slice(None, None, 4)
    >>> online = OnlineBideta(Bideta().fit((h1[few], h2[few]), names[few]))
    >>> str(online.predict_one((h1[1], h2[1])).label)
    'bolt'
    >>> online.learn_one((h1[1] + 9, h2[1] - 9), "nut")
    >>> [str(name) for name in online.current().classes_]
    ['bolt', 'coin', 'key', 'nut']
    """

    def __init__(
        self,
        adapted: Classifier,
        window: int = 256,
        *,
        reservoir: int | None = None,
        max_support: int | None = None,
        seed: int = 0,
    ) -> None:
        sensor = adapted.sensor()
        check_number("window", window, int, low=1)
        reservoir = window // 2 if reservoir is None else reservoir
        check_number("reservoir", reservoir, int, low=0, below=window, alternative="None")
        if max_support is not None:
            most = int(np.bincount(sensor.labels).max())
            hint = f"the sensor already has {most} labelled contacts of one class"
            check_number("max_support", max_support, int, low=most, alternative="None", hint=hint)
        self._adapted, self._sensor = adapted, sensor
        self._labelled = LabelledContacts.of(sensor)
        self._behind = False  # whether labels came that ``_sensor`` was not adapted to yet
        self._max_support = max_support
        self._window = Window(window, reservoir, seed)
        self._contacts = tuple(np.zeros((window, d)) for d in sensor.widths)  # rows are slots
        self._arrivals = np.zeros(window, np.int64)
        self._known = np.full(window, -1, np.intp)  # class index where a contact's label was learned
        self._seen = 0
        self._state: WindowAnswers | None = None  # of the window under ``_sensor``

    def current(self) -> Classifier:
        """The sensor as it is now, with the contacts learned since: for batches, and to be saved.

        The first call after new labels adapts to them, which costs one decomposition for each readout.
        """
        if self._behind:
            self._sensor = self._labelled.adapted(self._sensor)
            self._adapted, self._behind = type(self._adapted).of(self._sensor), False
        return self._adapted

    @property
    def adapted(self) -> Classifier:
        """The name that ``current()`` had."""
        warnings.warn("online.adapted is now online.current()", DeprecationWarning, stacklevel=2)
        return self.current()

    def predict_one(self, contact: Any) -> Answer:
        """The answer for a new contact, jointly with those in the window; it stays in the window."""
        readouts = self._check(contact)
        state = self._current_state()
        slot = self._window.admit(state.proba.argmax(axis=1))
        for rows, H in zip(self._contacts, readouts, strict=True):
            rows[slot] = H[0]
        self._arrivals[slot], self._known[slot] = self._seen, -1
        self._seen += 1
        state.place(slot, readouts, self._seen - 1)
        state.infer()
        return self._answer(state, slot)

    def revise(self) -> list[Answer]:
        """What the contacts in the window are by now, oldest first."""
        state = self._current_state()
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
        readouts = self._check(contact)
        labelled, known = self._labelled, self._known.copy()
        again = same_rows(labelled.support, readouts)
        if 0 < len(again) < len(labelled.labels):  # said again: what was said before is taken back
            labelled, left = labelled.without(again)
            known = np.where(np.isin(known, left), np.searchsorted(left, known), -1)
        c, classes = place_label(label, labelled.classes)
        new = len(classes) > len(labelled.classes)
        self._check_classes(label, len(classes), new)
        labelled = labelled.counted()
        for statistics, H in zip(labelled.statistics or (), readouts, strict=True):
            statistics.check(H[0])
        # From here on nothing can fail: the statistics are changed in place.
        if new:
            labelled = labelled.enrolled(classes, c)
            known[known >= c] += 1
        labelled = labelled.plus(readouts, c)
        if self._max_support is not None:
            labelled = labelled.cut(c, self._max_support)
        known[same_rows([rows[: len(self._window)] for rows in self._contacts], readouts)] = c
        self._labelled, self._known = labelled, known
        self._behind, self._state = True, None

    def _check_classes(self, label: Any, C: int, new: bool) -> None:
        """Raise where the classes would change while ``prior`` has a number for each of them."""
        prior, before = self._sensor.settings.prior, len(self._labelled.classes)
        if before == C or prior is None or isinstance(prior, str):
            return
        change = "is new" if new else "leaves a class without contacts"
        raise ValueError(
            f"label {label!r} {change} and prior= has {before} numbers, one for each known "
            'class; to change classes while running, fit with prior="support" or None'
        )

    def _current_state(self) -> WindowAnswers:
        """The window under the sensor as it is now; made anew where labels were learned."""
        self.current()
        if self._state is None:
            m = len(self._window)
            self._state = WindowAnswers(self._sensor, self._known)
            if m:
                self._state.fill([rows[:m] for rows in self._contacts], self._arrivals[:m])
                self._state.infer()
        return self._state

    def _answer(self, state: WindowAnswers, slot: int) -> Answer:
        proba, anchor = state.proba[slot].copy(), state.anchor[slot].copy()
        label = state.sensor.classes[proba.argmax()]
        return Answer(int(self._arrivals[slot]), label, proba, anchor)

    def _check(self, contact: Any) -> tuple[Floats, ...]:
        """The contact's readouts as arrays of one row; raises where it does not fit, before anything changes."""
        if isinstance(contact, tuple):
            readouts = tuple(_row(h, f"readout {v} of the contact") for v, h in enumerate(contact, 1))
        else:
            readouts = split_columns(_row(contact, "the contact"), self._sensor.settings.split)
        widths = [H.shape[1] for H in readouts]
        if widths != self._sensor.widths:
            raise ValueError(
                f"the contact has readouts of {widths} features, the sensor was adapted with {self._sensor.widths}"
            )
        return readouts


def _row(h: Any, name: str) -> Floats:
    """One contact as a table of one row, float32 or float64; finite."""
    row = as_floats(h, name)
    if row.ndim == 1:
        row = row[None]
    if row.ndim != 2 or len(row) != 1:
        raise ValueError(
            f"{name} has shape {np.shape(h)}: expected one contact, a vector of features; a contact is a tuple "
            "(h1, h2), and a batch of them is for adapted.predict"
        )
    if not np.isfinite(row).all():
        raise ValueError(f"{name} contains NaN or infinity: leave out frames that could not be encoded")
    return row
