"""The live loop: newest frame → contact? → encode → answer → sinks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Event as Signal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.deploy import AnytimePress, Frames, GelHealth, Health, OnlineBideta, PressAnswer
from bideta.encoders import Encoder
from bideta.images.differences import difference
from bideta.live.capture import Capture, Frame
from bideta.live.contact import ContactDetector, Touch
from bideta.live.events import Event
from bideta.live.sinks import Sink
from bideta.live.statistics import Statistics
from bideta.quantity_sensor import QuantitySensor
from bideta.service.backgrounds import MINUS_UNTOUCHED
from bideta.service.encoding import encode_one
from bideta.service.quantity_answers import values
from bideta.service.stream_check import StreamCheck

WAIT = 0.2  # seconds: how soon a stop signal is noticed where no frames come
TOP = 3  # classes named in an event


@dataclass
class Live:
    """A sensor at work. ``run`` returns what it achieved; ``stop`` ends it from another thread.

    Attributes:
        capture: where frames come from
        encoder: the one of the sensor's file
        online: None: the sensor answers quantities only
        sinks: where answers go
        detector: tells contacts from the untouched gel
        quantities: answers with units; None: classes only
        press_frames: what frames of a press count together
        health: watches the gel; None: nobody does
    """

    capture: Capture
    encoder: Encoder
    online: OnlineBideta | None
    sinks: Sequence[Sink]
    detector: ContactDetector
    quantities: QuantitySensor | None = None
    press_frames: Frames = field(default_factory=Frames)
    health: GelHealth | None = None

    def __post_init__(self) -> None:
        self.statistics = Statistics()
        self.stop = Signal()
        self._last = -1  # number of the last frame looked at
        self._failed: list[Sink] = []
        self._touching = False
        self._press: AnytimePress | None = None  # the press that is going on, once it has an answer
        self._last_contact: tuple[
            Any, ...
        ] = ()  # readouts of the newest answered frame, and its frame number
        self._stream, self._check = StreamCheck(), dict[str, str]()  # of the newest contact
        self._pressed: list[int] = []  # frame that stands for each press that the health was told of
        self._before: NDArray[np.uint8] | None = None
        self._untouched: NDArray[np.uint8] | None = None  # the newest frame that is clearly without a contact

    def run(self, seconds: float | None = None) -> Statistics:
        """Answer frames until the source ends, the time is up, or ``stop`` is set."""
        with self.capture:
            begun = time.monotonic()
            try:
                while not self.stop.is_set():
                    if seconds is not None and time.monotonic() - begun >= seconds:
                        break
                    frame = self.capture.newest(WAIT)
                    if frame is not None:
                        self.see(frame)
                    elif self.capture.ended:
                        break
            finally:
                self.statistics.seconds = time.monotonic() - begun
                self.statistics.captured = self.capture.captured
                self.statistics.lost = self.capture.lost
                self.statistics.strange = self.capture.strange
                for sink in self.sinks:
                    self._guarded(sink, sink.close)
        return self.statistics

    def see(self, frame: Frame) -> None:
        """Work on one frame: an event goes out where the answer is new or the contact has ended."""
        begun = time.monotonic()
        statistics = self.statistics
        dropped = frame.number - self._last - 1
        self._last = frame.number
        statistics.seen += 1
        statistics.ages.append(begun - frame.time)
        touch = self.detector.see(frame.image)
        event: Event | None = None
        if touch.contact:
            statistics.contact += 1
            if touch.changed:
                event = self._answer(frame, touch, begun, dropped)
        elif self._touching:
            event = self._press_answer(frame, dropped)
        elif touch.strength < self.detector.leave / 2:  # nearer to it, a press may be beginning
            self._untouched = frame.image
        self._touching = touch.contact
        self._before = frame.image
        if event is not None:
            for sink in self.sinks:
                self._guarded(sink, sink.write, event, frame.image)

    def _answer(self, frame: Frame, touch: Touch, begun: float, dropped: int) -> Event:
        image, before = frame.image, self._before
        if self._minus_untouched() and self._untouched is not None:
            image = difference(image, self._untouched)
            before = None if before is None else difference(before, self._untouched)
        readouts = encode_one(self.encoder, image, before)
        said: dict[str, Any] = {}
        statistics = self.statistics
        statistics.encoded += 1
        sensor = None if self.online is None else self.online.current().sensor_
        asked = sensor or self.quantities  # classes and quantities of one file have one look
        if asked is not None:
            self._check = self._stream.see(frame.image, asked)
        # A sensor that was adapted on fewer readouts than the encoder gives gets the first ones.
        if self.quantities is not None:
            first = readouts[: len(self.quantities.support)]
            measured = self.quantities.infer([H[None] for H in first])
            foreign = self._check.get("level") == "foreign"
            said["values"] = values(measured.without_intervals() if foreign else measured, 0)
        if self.online is not None and sensor is not None:
            answer = self.online.predict_one(readouts[: len(sensor.readouts)])
            if self._press is None or len(self._press.classes) != len(answer.proba):
                self._press = AnytimePress(
                    sensor.classes, self.press_frames
                )  # or a class was enrolled meanwhile
            self._last_contact = (readouts[: len(sensor.readouts)], answer.proba, frame.number)
            said |= _named(answer.proba, sensor.classes) | _so_far(self._press.see(answer.proba))
            if frame.truth is not None:
                statistics.known += 1
                statistics.right += str(answer.label) == frame.truth
        said |= self._looked_at()
        now = time.monotonic()
        statistics.latencies.append(now - frame.time)
        return Event(
            time=_clock(frame),
            frame=frame.number,
            contact=True,
            **said,
            strength=touch.strength,
            age_ms=1000 * (begun - frame.time),
            latency_ms=1000 * (now - frame.time),
            dropped=dropped,
            truth=frame.truth,
        )

    def _looked_at(self) -> dict[str, Any]:
        """What is wrong with the newest contacts' pictures; nothing is sure about foreign ones."""
        withheld = {"verdict": ""} if self._check.get("level") == "foreign" else {}
        return {"check": self._check, **withheld} if self._check else {}

    def _minus_untouched(self) -> bool:
        """Whether the sensor was adapted on differences to untouched frames."""
        sensor = self.quantities if self.online is None else self.online.current().sensor_
        return sensor is not None and bool(sensor.origin.get(MINUS_UNTOUCHED))

    def _press_answer(self, frame: Frame, dropped: int) -> Event:
        """The end of a press, with one answer for all its frames."""
        press, self._press = self._press, None
        said: dict[str, Any] = {}
        if press is not None:
            answer = press.lift()
            said = _named(answer.proba, press.classes) | _so_far(answer) | self._looked_at() | self._watched()
        return Event(_clock(frame), frame.number, False, dropped=dropped, truth=frame.truth, **said)

    def _watched(self) -> dict[str, Any]:
        """What is wrong with the gel, now that a press has ended; one frame stands for the press."""
        if self.health is None:
            return {}
        readouts, proba, number = self._last_contact
        if (
            len(proba) != self.health.n_classes and self.online is not None
        ):  # enrolled meanwhile: another sensor
            self.health, self._pressed = GelHealth(self.online.current()), []
        self._pressed.append(number)
        if self._untouched is not None:
            self.health.see_untouched(self._untouched)
        health = self.health.see(readouts, proba)
        return {} if health.state == "healthy" else {"health": _told(health, self._pressed)}

    def _guarded(self, sink: Sink, call: Any, *arguments: Any) -> None:
        """A sink that fails (disk full, viewer gone) is noted and left out; the others go on."""
        if sink in self._failed:
            return
        try:
            call(*arguments)
        except Exception as error:  # noqa: BLE001 - whatever a sink's library raises must not stop the robot
            self._failed.append(sink)
            self.statistics.sink_errors.append(f"{sink.name}: {error}")


def _named(proba: NDArray[np.float64], classes: NDArray[Any]) -> dict[str, Any]:
    """Label, probability and the best three of an answer."""
    best = np.argsort(-proba, kind="stable")[:TOP]
    top = [(str(classes[c]), float(proba[c])) for c in best]
    return {"label": top[0][0], "probability": top[0][1], "top": top}


def _so_far(answer: PressAnswer) -> dict[str, Any]:
    """What a press is by now."""
    return {
        "frames": answer.frames,
        "press_label": str(answer.label),
        "press_probability": answer.probability,
        "verdict": answer.verdict,
    }


def _told(health: Health, frames: list[int]) -> dict[str, Any]:
    """The health of a gel; contacts to label are named by their frames."""
    named = replace(health, to_label=tuple(frames[contact] for contact in health.to_label))
    return {
        "state": named.state,
        "score": round(named.score, 3),
        "loss": None if named.loss is None else round(named.loss, 1),
        "to_label": list(named.to_label),
        "message": str(named),
    }


def _clock(frame: Frame) -> float:
    """When the frame arrived, in seconds since the epoch."""
    return time.time() - (time.monotonic() - frame.time)
