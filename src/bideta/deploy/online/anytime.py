"""A press as it goes on: what it is by now, whether that is sure, and whether to press again.

Frames of one press are nearly alike. Taken as independent they would soon be sure of anything; taken as one they never
learn. t frames of correlation ρ count as t / (1 + (t − 1)ρ) independent ones, their effective number (L. Kish: "Survey
Sampling", 1965), so that

    p(class | t frames)  ∝  Π_i P_i(class) ^ (1 / (T (1 + (t − 1)ρ)))

ρ and the temperature T are those under which presses of the support, hidden in turn, are most likely, over all their
beginnings. Presses are independent: what a second one says is multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.checks import check_number
from bideta.classifier import Classifier
from bideta.deploy.folds import FOLDS, hidden_folds
from bideta.deploy.online.some_presses import some_presses
from bideta.extensions.class_prior import TEMPERATURES
from bideta.extensions.presses import TINY, alone, press_of
from bideta.method import Floats64
from bideta.method.memory import posterior
from bideta.sensor import Sensor

CORRELATIONS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0)
SURE = 0.95
Verdict = Literal["going on", "sure", "press again"]


@dataclass(frozen=True)
class Frames:
    """What frames of one press count together.

    Attributes:
        correlation: ρ; 1: all frames of a press count as one
        temperature: what log probabilities are divided by
        presses: of the support that it was measured on; 0: not measured, the cautious values
    """

    correlation: float = 1.0
    temperature: float = 1.0
    presses: int = 0

    def effective(self, t: float) -> float:
        """So many independent frames are t frames."""
        return t / (1 + (t - 1) * self.correlation) if t else 0.0


@dataclass(frozen=True)
class PressAnswer:
    """What is known about a press by now.

    Attributes:
        label: the most probable class
        proba: (C,) class probabilities
        frames: how many were seen
        effective: as many independent frames
        verdict: "sure", "going on", or "press again"
    """

    label: Any
    proba: Floats64
    frames: int
    effective: float
    verdict: Verdict

    @property
    def probability(self) -> float:
        """Of the label."""
        return float(self.proba.max())


def measure_frames(
    adapted: Classifier, *, folds: int = FOLDS, seed: int = 0, most: int | None = None
) -> Frames:
    """What frames of a press count, from the presses of the support; the cautious values where none has two frames.

    Needs a support that was fitted with its presses, two of some class. Costs ``folds`` times an adaptation; nothing
    where no press that can be hidden has two frames.

    Args:
        adapted: a fitted ``Bideta``.
        folds: parts that the labelled contacts are hidden in.
        seed: of the folds, and of the choice of presses.
        most: labelled frames that it is measured on, whole presses; None: all.
    """
    sensor = adapted.sensor()
    if longest_hidden(sensor) < 2:
        return Frames()
    if most is not None:
        some = some_presses(sensor.labels, sensor.presses, most, seed, sensor.earlier)
        sensor = replace(  # only asked which contacts it has: each fold adapts anew
            sensor,
            support=tuple(H[some] for H in sensor.support),
            labels=sensor.labels[some],
            presses=sensor.presses[some],
            earlier=int((some < sensor.earlier).sum()),
        )
    beginnings: list[tuple[int, Floats64, int]] = []  # frames, sum of their log distributions, class
    presses = 0
    for rows, rest in hidden_folds(sensor, folds=folds, seed=seed):
        of_press = press_of(sensor.labels[rows], sensor.presses[rows])[1]
        free = replace(rest, prior=None, rule=None)  # a press is of one class, however often classes come
        for press in range(int(of_press.max()) + 1):
            # Asked by itself, as it will come: others beside it would help too much.
            inside = rows[of_press == press]
            P = free.infer(tuple(H[inside] for H in sensor.support)).proba
            presses += 1
            for count, total in enumerate(np.cumsum(np.log(np.maximum(P, TINY)), axis=0), 1):
                beginnings.append((count, total, int(sensor.labels[inside[0]])))
    t = np.array([count for count, _, _ in beginnings])
    if t.max(initial=0) < 2:  # the long presses were not among the chosen ones
        return Frames()
    totals, truth = np.array([total for _, total, _ in beginnings]), np.array([c for _, _, c in beginnings])

    def surprise(frames: Frames) -> float:
        P = posterior(totals / (1 + (t - 1) * frames.correlation)[:, None], frames.temperature)
        return float(-np.log(np.maximum(P[np.arange(len(P)), truth], TINY)).mean())

    every = (Frames(rho, float(T), presses) for rho in CORRELATIONS[::-1] for T in TEMPERATURES)
    return min(every, key=surprise)


def longest_hidden(sensor: Sensor) -> int:
    """Frames of the longest press that can be hidden: of the present sensor, and not the only one of its class."""
    hidden = ~alone(sensor.labels, sensor.presses)
    hidden[: sensor.earlier] = False
    return int(np.bincount(press_of(sensor.labels, sensor.presses)[1][hidden]).max(initial=0))


class AnytimePress:
    """One touch, frame by frame. ``see`` each frame's distribution, ``lift`` at the end of a press.

    Args:
        classes: (C,) names of the columns.
        frames: what frames count together, ``measure_frames(adapted)``; None: all frames of a press count as one.
        sure: probability from which on no further frame is needed.
    """

    def __init__(self, classes: ArrayLike, frames: Frames | None = None, sure: float = SURE) -> None:
        check_number("sure", sure, float, above=0, below=1)
        self.classes: NDArray[Any] = np.asarray(classes)
        self.frames, self.sure = frames or Frames(), sure
        self.forget()

    def forget(self) -> None:
        """Begin with another object."""
        self._before = np.zeros(len(self.classes))  # log evidence of presses that have ended
        self._begin()

    def _begin(self) -> None:
        self._total, self._seen = np.zeros(len(self.classes)), 0

    def see(self, proba: ArrayLike) -> PressAnswer:
        """What the press is by now, with this frame's class distribution (C,)."""
        P = np.asarray(proba, np.float64)
        if P.shape != self.classes.shape:
            raise ValueError(
                f"proba has shape {P.shape}, expected one number for each of {len(self.classes)} classes; where a "
                "class was enrolled meanwhile, begin a new AnytimePress"
            )
        self._total += np.log(np.maximum(P, TINY))
        self._seen += 1
        return self._answer("going on")

    def lift(self) -> PressAnswer:
        """The end of a press: sure, or press the same object again; its evidence is kept until ``forget``."""
        answer = self._answer("press again")
        self._before = self._before + self._evidence()
        self._begin()
        return answer

    def _evidence(self) -> Floats64:
        frames = self.frames
        evidence: Floats64 = self._total / (
            frames.temperature * (1 + max(self._seen - 1, 0) * frames.correlation)
        )
        return evidence

    def _answer(self, otherwise: Verdict) -> PressAnswer:
        P = posterior((self._before + self._evidence())[None], 1.0)[0]
        best = int(P.argmax())
        verdict: Verdict = "sure" if P[best] >= self.sure else otherwise
        return PressAnswer(self.classes[best], P, self._seen, self.frames.effective(self._seen), verdict)
