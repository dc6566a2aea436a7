"""The websocket: one image in, one answer out, corrections in between; for robots.

Binary messages are images; ``"check"`` in the answer: the newest ones do not seem to come from the adapted sensor. Text
messages are JSON: ``{"readouts": [[…], …]}`` (one contact, encoded by the caller), ``{"learn": "label"}`` (the last
contact is one of these), ``{"revise": true}``. Every message gets one answer. What is learned stays with the
connection; ``{"keep": true}`` stores it as the session's sensor.

With ``touch=true`` images are first looked at: the first ones show the untouched gel, and one in which nothing touches
is answered ``{"contact": false}``. Others say which press they belong to and what the press is as a whole. The first
image after a press says how the gel is (``"health"``); ``GET /v1/sessions/…/health`` has the history.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from numpy.typing import NDArray

from bideta.deploy import Answer, OnlineBideta, pool_presses
from bideta.encoders import Readouts
from bideta.images.contact import ContactDetector
from bideta.service.encoding import encode_one
from bideta.service.stream_check import StreamCheck
from bideta.studio import analysis, store
from bideta.studio.compute import BusyError, TooLongError
from bideta.studio.gel_watch import GelWatch
from bideta.studio.pictures import Upload, decode
from bideta.studio.refused import RefusedError
from bideta.studio.serving_api import state_of
from bideta.studio.session import Session
from bideta.studio.state import State
from bideta.studio.texts import clean_label

router = APIRouter(prefix="/v1")
LARGEST = 4096  # contacts of a window
REFUSED = 1008  # websocket close code: policy


@router.websocket("/stream")
async def stream(socket: WebSocket, session: str, window: int = 256, touch: bool = False) -> None:
    """Answer contacts as they come, jointly with those before them."""
    state = state_of(socket)
    await socket.accept()
    try:
        with ExitStack() as uses:
            conversation = await state.pool.run(_open, state, session, window, uses)
            if touch:
                conversation.touch = Press()
                conversation.gel = state.gels.open(session, conversation.online.current())
            await socket.send_json({"ready": True, "classes": conversation.classes()})
            while True:
                async with asyncio.timeout(state.limits.stream_seconds):
                    message = await socket.receive()
                await socket.send_json(await conversation.reply(message))
    except (RefusedError, BusyError, TooLongError) as error:
        await socket.send_json({"error": str(error)})
        await socket.close(REFUSED)
    except TimeoutError:
        await socket.send_json({"error": f"no message for {state.limits.stream_seconds:g} s"})
        await socket.close(REFUSED)
    except WebSocketDisconnect:
        pass


def _open(state: State, name: str, window: int, uses: ExitStack) -> Conversation:
    """A conversation about the session, which stays in memory until ``uses`` is closed."""
    if not 1 <= window <= LARGEST:
        raise RefusedError(422, f"window is {window}, expected 1 to {LARGEST}")
    session = uses.enter_context(state.sessions.use(name))
    return Conversation(state, session, OnlineBideta(analysis.current(session), window=window))


@dataclass
class Press:
    """The press that is going on."""

    detector: ContactDetector = field(default_factory=ContactDetector)
    number: int = 0
    touching: bool = False
    answers: list[NDArray[np.float64]] = field(default_factory=list)
    untouched: bool = False  # the newest image is clearly without a contact

    def see(self, pixels: NDArray[np.uint8]) -> dict[str, Any]:
        """What an image says about touching; the number of its press where it is of one."""
        ready = self.detector.ready
        touch = self.detector.see(pixels)
        contact = touch.contact
        self.untouched = ready and not contact and touch.strength < self.detector.leave / 2
        if contact and not self.touching:
            self.number += 1
            self.answers.clear()
        self.touching = contact
        return {"contact": True, "press": self.number} if contact else {"contact": False, "ready": ready}

    def add(self, proba: NDArray[np.float64], classes: Sequence[str]) -> dict[str, Any]:
        """The answer of the press so far."""
        if self.answers and len(self.answers[0]) != len(proba):
            self.answers.clear()  # a class was enrolled meanwhile
        self.answers.append(proba)
        pooled = pool_presses(np.stack(self.answers), [0] * len(self.answers))[1][0]
        best = int(pooled.argmax())
        return {
            "frames": len(self.answers),
            "press_label": classes[best],
            "press_probability": float(pooled[best]),
            "press_proba": pooled.tolist(),
        }


class Conversation:
    """One connection."""

    touch: Press | None = None
    gel: GelWatch | None = None

    def __init__(self, state: State, session: Session, online: OnlineBideta) -> None:
        self.state, self.session, self.online = state, session, online
        self.last: Readouts | None = None  # of the last contact
        self.check = StreamCheck()

    def classes(self) -> list[str]:
        """Class names in the order of ``proba``."""
        return [str(c) for c in self.online.current().classes_]

    async def reply(self, message: Any) -> dict[str, Any]:
        """The answer to one message; a bad one is answered with an error, and the connection goes on."""
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        try:
            return await self.state.pool.run(self._reply, message)
        except BusyError as error:
            return {"error": str(error), "retry_after": error.retry_after}
        except (RefusedError, TooLongError, ValueError) as error:
            return {"error": str(error)}
        except OSError as error:
            if not store.disk_full(error):
                raise
            return {"error": "the server's disk is full; nothing was changed"}

    def _reply(self, message: Any) -> dict[str, Any]:
        if message.get("bytes") is not None:
            pixels: list[NDArray[np.uint8]] = []
            _, rejected = decode([Upload("frame", message["bytes"])], self.state.limits, pixels.append)
            if rejected:
                return {"error": rejected[0]["error"]}
            before = self.touch is not None and self.touch.touching
            seen = {} if self.touch is None else self.touch.see(pixels[0])
            if seen and not seen["contact"]:
                return seen | self._watched(pixels[0], lifted=before)
            told = self._predict(encode_one(self.state.encoder, pixels[0]))
            odd = self.check.see(pixels[0], self.online.current().sensor_)
            if odd:
                told["check"] = odd
            if self.touch is not None:
                seen |= self.touch.add(np.array(told["proba"]), self.classes())
            return {**told, **seen}
        text = message.get("text") or ""
        if len(text) > self.state.limits.text_bytes:
            return {"error": f"the message is larger than {self.state.limits.text_bytes:,} characters"}
        try:
            wish = json.loads(text)
        except (ValueError, RecursionError):
            wish = None
        if not isinstance(wish, dict) or len(wish) != 1:
            return {
                "error": 'expected an image, {"readouts": …}, {"learn": …}, {"revise": true} or {"keep": true}'
            }
        ((what, value),) = wish.items()
        if what == "readouts":
            return self._predict(_contact(value))
        if what == "learn":
            return self._learn(value)
        if what == "revise":
            return {"revised": [self._shown(answer) for answer in self.online.revise()]}
        if what == "keep":
            self.session.keep(self.online.current())
            return {"kept": True}
        return {"error": f"unknown message {str(what)[:40]!r}"}

    def _watched(self, pixels: NDArray[np.uint8], lifted: bool) -> dict[str, Any]:
        """How the gel is, where a press has just ended."""
        if self.gel is None or self.touch is None:
            return {}
        if self.touch.untouched:
            self.gel.untouched(pixels)
        if not lifted or self.last is None or not self.touch.answers:
            return {}
        proba = self.touch.answers[-1]
        if not self.gel.fits(len(proba)):  # a class was enrolled meanwhile
            self.gel = self.state.gels.open(self.session.id, self.online.current())
        return {"health": self.gel.press(self.last, proba)} if self.gel.fits(len(proba)) else {}

    def _predict(self, contact: Readouts) -> dict[str, Any]:
        answer = self.online.predict_one(contact)
        self.last = contact
        return self._shown(answer)

    def _learn(self, value: Any) -> dict[str, Any]:
        label = clean_label(value, self.state.limits) if isinstance(value, str) else None
        if label is None or self.last is None:
            return {"error": "learn needs a label, and a contact sent before it"}
        self.online.learn_one(self.last, label)
        return {"learned": label, "classes": self.classes()}

    def _shown(self, answer: Answer) -> dict[str, Any]:
        return {
            "index": answer.index,
            "label": str(answer.label),
            "probability": float(answer.proba.max()),
            "proba": answer.proba.tolist(),
            "anchor": answer.anchor.tolist(),
        }


def _contact(value: Any) -> Readouts:
    try:
        return tuple(np.array(row, np.float32) for row in value)
    except (TypeError, ValueError) as error:
        raise RefusedError(422, "readouts: expected a row of numbers for each") from error
