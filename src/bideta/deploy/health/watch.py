"""GelHealth: watches the contacts of a stream, and its untouched gel, for wear; no labels are needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.checks import check_number
from bideta.classifier import Classifier
from bideta.deploy.geometry import discriminant_distances, spectral
from bideta.deploy.health.martingale import ChangeTest
from bideta.deploy.health.untouched import GelChange, compare_gels
from bideta.deploy.labelling.suggestions import suggest
from bideta.deploy.trust.calibration import calibrate, tempered
from bideta.extensions.batch import anchored
from bideta.method import Floats, Floats64
from bideta.sensor import Sensor

SCORES = ("distance", "disagreement", "nearest", "size")
# At most one false alarm in a thousand streams of a thousand contacts in mixed order. Object by object wrong answers
# come together, which the bound does not cover: with 0.01 up to 21 of 1,000 streams were called worn, with 0.001 at most 3.
HORIZON, FALSE_ALARMS = 1000, 0.001
FIRST, RECENT = 100, 48  # contacts whose confidence is compared
TO_LABEL = 5  # contacts that are worth a label
RATE = 0.2  # weight of a new untouched picture in the mean of now
TINY = 1e-12
State = Literal["healthy", "changed", "worn"]


@dataclass(frozen=True)
class Health:
    """How the gel is by now.

    Attributes:
        state: "changed": the untouched gel looks otherwise; "worn": contacts do
        score: 1 as on the first day, 0 worn
        loss: estimated points of accuracy that answers have lost; None: too few contacts to say
        gel: None: no untouched picture to compare
        to_label: contacts, by their number in the stream, whose labels would help most
    """

    state: State
    score: float
    loss: float | None
    gel: GelChange | None
    to_label: tuple[int, ...] = ()

    def __str__(self) -> str:
        causes = "; ".join(self.gel.words()) if self.gel is not None else ""
        if self.state != "worn":
            return f"{self.state}{f': {causes}' if causes else ''}"
        lost = (
            ""
            if self.loss is None or self.loss < 1
            else f": answers have probably lost about {self.loss:.0f} points"
        )
        labels = ", ".join(map(str, self.to_label))
        return f"worn{lost}{f' ({causes})' if causes else ''}; label these contacts: {labels}"


def contact_scores(sensor: Sensor, contacts: Sequence[Floats], answers: ArrayLike) -> Floats64:
    """(m, 4) what changes when a gel wears, as named in ``SCORES``; ``answers`` are columns of the answered classes.

    distance: log discriminant distance to the answer's mean. disagreement: of the readouts. nearest: cosine of the
    nearest labelled contact. size: log mean square of the standardised features.
    """
    answer = np.asarray(answers, np.intp)
    anchors = anchored([r.scores(H) for r, H in zip(sensor.readouts, contacts, strict=True)], sensor.settings)
    near = spectral(sensor.readouts, contacts) @ spectral(sensor.readouts, sensor.support).T
    squares = [
        np.square(r.standardizer(H)).mean(axis=1) for r, H in zip(sensor.readouts, contacts, strict=True)
    ]
    distance = discriminant_distances(sensor, contacts)[np.arange(len(answer)), answer]
    return np.column_stack(
        [
            np.log(distance + TINY),
            anchors.disagreement,
            near.max(axis=1),
            np.log(np.mean(squares, axis=0) + TINY),
        ]
    )


class GelHealth:
    """Watches one stream. ``see`` one contact of every press; ``see_untouched`` frames without a contact.

    Args:
        adapted: the sensor; it is taken as it is now.
        healthy: readouts of contacts of a healthy time and their class distributions (m, C), to compare with from
            the start; without them the first contacts of the stream are those.
        false_alarms: probability of ever calling a gel worn within ``horizon`` healthy contacts, at most.
        horizon: contacts that ``false_alarms`` is promised for.
        seed: of the random choice between equal scores.

    Attributes:
        limit: the evidence from which on a gel is called worn.
    """

    def __init__(
        self,
        adapted: Classifier,
        *,
        healthy: tuple[Any, ArrayLike] | None = None,
        false_alarms: float = FALSE_ALARMS,
        horizon: int = HORIZON,
        seed: int = 0,
    ) -> None:
        check_number("false_alarms", false_alarms, float, above=0, below=1)
        check_number("horizon", horizon, int, low=1)
        self._adapted, self._sensor = adapted, adapted.sensor()
        self.limit = horizon / false_alarms
        self._tests = [ChangeTest(np.random.default_rng((seed, k))) for k in range(len(SCORES))]
        self._first: list[Floats64] = []  # class distributions of the first contacts
        self._recent: deque[tuple[int, tuple[Floats, ...], Floats64]] = deque(maxlen=RECENT)
        self._seen = 0
        self._worn = False
        self._then: NDArray[Any] | None = self._sensor.background
        self._now: NDArray[np.float64] | None = None
        self._temperature: float | None = None
        if healthy is not None:
            contacts, P = adapted.readouts(healthy[0], "healthy"), np.asarray(healthy[1], np.float64)
            for row, score in enumerate(contact_scores(self._sensor, contacts, P.argmax(axis=1))):
                for test, value in zip(self._tests, score, strict=True):
                    test.know(float(value), int(P[row].argmax()))
            self._first = list(P[:FIRST])

    @property
    def evidence(self) -> float:
        """Of wear; it is called worn from ``limit`` on."""
        return float(np.mean([test.evidence for test in self._tests]))

    @property
    def n_classes(self) -> int:
        """Of the sensor."""
        return len(self._sensor.classes)

    def see_untouched(self, image: NDArray[Any]) -> None:
        """Take a picture (H, W, 3) of the untouched gel.

        The one to compare with is the sensor's own, ``adapt --background``; without it the first that is seen.
        """
        picture = np.asarray(image, np.float64)
        if self._then is None:
            self._then = picture
        if self._now is None or self._now.shape != picture.shape:
            self._now = picture
        self._now = self._now + RATE * (picture - self._now)

    def see(self, contact: Any, proba: ArrayLike) -> Health:
        """How the gel is, with one contact of a further press and its answer, a class distribution (C,)."""
        readouts = self._adapted.readouts(tuple(np.atleast_2d(h) for h in contact), "the contact")
        P = np.asarray(proba, np.float64)
        if P.shape != (self.n_classes,):
            raise ValueError(
                f"proba has shape {P.shape}, expected one number for each of {self.n_classes} classes; "
                "after new labels begin a new GelHealth"
            )
        answer = int(P.argmax())
        for test, value in zip(self._tests, contact_scores(self._sensor, readouts, [answer])[0], strict=True):
            test.see(float(value), answer)
        if len(self._first) < FIRST:
            self._first.append(P)
        self._recent.append((self._seen, readouts, P))
        self._seen += 1
        self._worn = self._worn or self.evidence >= self.limit
        return self.now()

    def now(self) -> Health:
        """How the gel is."""
        gel = None if self._then is None or self._now is None else compare_gels(self._then, self._now)
        score = 1 - float(np.clip(np.log1p(self.evidence) / np.log1p(self.limit), 0, 1))
        if not self._worn:
            state: State = "changed" if gel is not None and gel.words() else "healthy"
            return Health(state, score, None, gel)
        pool = tuple(
            np.concatenate(rows) for rows in zip(*(contact for _, contact, _ in self._recent), strict=True)
        )
        numbers = [number for number, _, _ in self._recent]
        chosen = suggest(pool, min(TO_LABEL, len(numbers)), self._adapted)
        return Health("worn", 0.0, self._loss(), gel, tuple(numbers[row] for row in chosen))

    def _loss(self) -> float | None:
        """Points of calibrated confidence that recent answers have less than the first ones.

        D. Guillory et al.: "Predicting with Confidence on Unseen Distributions", ICCV 2021.
        """
        if len(self._first) < RECENT or len(self._recent) < RECENT:
            return None
        if self._temperature is None:
            self._temperature = calibrate(self._adapted).joint
        then, now = (
            tempered(np.array(rows), self._temperature).max(axis=1).mean()
            for rows in (self._first, [P for _, _, P in self._recent])
        )
        return float(100 * (then - now))
