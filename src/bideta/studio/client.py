"""A typed client for the serving API: standard library only, so that a robot needs nothing else.

client = Client("http://127.0.0.1:8765", token="…")
sensor = client.adapt({"bolt": ["bolt/1.png", "bolt/2.png"], "key": ["key/1.png", "key/2.png"]})
for answer in client.predict(sensor.session, ["new/1.png", "new/2.png"]).contacts:
    print(answer.name, answer.label, answer.reliability)
"""

from __future__ import annotations

import json
import os
import secrets
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bideta.studio.client_http import Connection, StudioError

__all__ = ["Adapted", "Client", "Prediction", "Predictions", "Stored", "Stream", "StudioError"]

Picture = str | Path | bytes  # a file, or the bytes of one
FILES = 16  # per request
BYTES = 16_000_000


@dataclass(frozen=True)
class Adapted:
    """An adapted sensor on the server."""

    session: str
    classes: list[str]
    labelled: int
    presses: int  # of the labelled contacts
    unlabelled: int
    rejected: list[dict[str, str]]


@dataclass(frozen=True)
class Prediction:
    """The answer for one contact; ``proba`` is in the order of the batch's ``classes``."""

    id: str | None
    name: str
    label: str
    probability: float
    reliability: float | None  # None: ``no_reliability`` of the batch says why
    second_choice: str
    proba: list[float]
    reliability_lower: float | None = None  # at least, with a confidence of 90 %


@dataclass(frozen=True)
class Predictions:
    """Answers for a batch, joint over the batch."""

    session: str
    classes: list[str]
    contacts: list[Prediction]
    rejected: list[dict[str, str]]
    check: dict[str, str] = field(default_factory=dict)  # level, kind and warning; empty: an older server
    no_reliability: str = ""  # why no contact has a reliability; empty where some have


@dataclass(frozen=True)
class Stored:
    """What became of uploaded images: ids in their order, and name and error of the bad ones."""

    ids: list[str]
    rejected: list[dict[str, str]]


class Client:
    """One server. A busy server is waited for up to ``patience`` seconds in all.

    The token may stand in the address, as ``bideta studio`` prints it; if left out it is ``BIDETA_TOKEN``'s.

    Args:
        address: of the server, with or without ``#token=…``.
        token: the server's; None: that of the address or of ``BIDETA_TOKEN``.
        timeout: seconds for one request.
        patience: seconds to wait for a busy server, in all.
    """

    def __init__(
        self,
        address: str = "http://127.0.0.1:8765",
        token: str | None = None,
        *,
        timeout: float = 120.0,
        patience: float = 60.0,
    ) -> None:
        address, _, shown = address.partition("#token=")
        token = token or urllib.parse.unquote(shown) or os.environ.get("BIDETA_TOKEN")
        self._server = Connection(address.rstrip("/"), token, timeout, patience)

    def health(self) -> dict[str, Any]:
        """What ``/healthz`` says."""
        return json.loads(self._server.ask("GET", "/healthz"))

    def create(self, title: str = "") -> str:
        """Id of a new session."""
        return str(self._server.json("POST", "/v1/sessions", {"title": title})["session"])

    def add(
        self,
        session: str,
        pictures: Sequence[Picture],
        label: str | None = None,
        truth: str | None = None,
        press: str | int | None = None,
    ) -> Stored:
        """Store images: labelled ones with ``label``, otherwise new contacts. ``truth`` is for scoring only.

        ``press`` is any text or number for images that are frames of one press; each is a press of its own without it.
        """
        _check_files(pictures)
        ids: list[str] = []
        rejected: list[dict[str, str]] = []
        for files in _chunks(pictures):
            fields = [("key", secrets.token_hex(8))]
            fields += [("labels", label)] if label else []
            fields += [("truths", truth)] if truth else []
            fields += [("presses", str(press))] if press is not None else []
            answer = self._server.form(f"/v1/sessions/{session}/contacts", fields, files)
            ids += [row["id"] for row in answer["added"]]
            rejected += answer["rejected"]
        return Stored(ids, rejected)

    def adapt(
        self,
        labelled: Mapping[str, Sequence[Picture]] | None = None,
        session: str | None = None,
        *,
        preset: str | None = None,
        prior: str | None = None,
    ) -> Adapted:
        """Adapt to labelled images (label → images), added to a session or to a new one."""
        for pictures in (labelled or {}).values():
            _check_files(pictures)  # before a session is made and half of them are sent
        session = session or self.create()
        rejected = []
        for label, pictures in (labelled or {}).items():
            rejected += self.add(session, pictures, label).rejected
        body = {"session": session, "preset": preset, "prior": prior}
        answer = self._server.json("POST", "/v1/adapt", body)
        return Adapted(**{**answer, "rejected": rejected})

    def predict(self, session: str, pictures: Sequence[Picture] | None = None) -> Predictions:
        """Answers for these images (not stored), or for the session's own new contacts."""
        answer = self._batch("/v1/predict", pictures, {"session": session})
        rows = [Prediction(**row) for row in answer["contacts"]]
        return Predictions(
            answer["session"],
            answer["classes"],
            rows,
            answer["rejected"],
            answer.get("check", {}),
            answer.get("no_reliability", ""),
        )

    def rank(self, session: str, pictures: Sequence[Picture] | None = None, top: int = 5) -> list[list[str]]:
        """The most likely identities of every contact, best first."""
        answer = self._batch("/v1/rank", pictures, {"session": session, "top": top})
        return [row["ranking"] for row in answer["contacts"]]

    def _batch(self, path: str, pictures: Sequence[Picture] | None, fields: dict[str, Any]) -> dict[str, Any]:
        if pictures is None:
            return self._server.json("POST", path, fields)
        _check_files(pictures)
        texts = [(name, str(value)) for name, value in fields.items()]
        return self._server.form(path, texts, [_file(item) for item in pictures])

    def learn(self, session: str, contact: str | Picture, label: str) -> Adapted:
        """Give a stored contact (by id) or a new image its label; the sensor is adapted again."""
        if isinstance(contact, str) and not Path(contact).is_file():
            body = {"session": session, "contact": contact, "label": label}
            return Adapted(**self._server.json("POST", "/v1/learn", body))
        fields = [("session", session), ("label", label)]
        return Adapted(**self._server.form("/v1/learn", fields, [_file(contact)]))

    def save(self, session: str, path: str | Path) -> None:
        """Download the adapted sensor."""
        Path(path).write_bytes(self._server.ask("GET", f"/v1/sessions/{session}/export/sensor.bideta"))

    def delete(self, session: str) -> None:
        """Delete a session."""
        self._server.ask("DELETE", f"/v1/sessions/{session}")

    @contextmanager
    def stream(self, session: str, window: int = 256) -> Iterator[Stream]:
        """A live connection: one image in, one answer out (needs the package ``websockets``)."""
        from websockets.sync.client import connect

        query, token = urllib.parse.urlencode({"session": session, "window": window}), self._server.token
        address = f"{self._server.address.replace('http', 'ws', 1)}/v1/stream?{query}"
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        with connect(address, additional_headers=headers, max_size=None) as socket:
            yield Stream(socket)


class Stream:
    """A live connection; every call waits for its answer."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self.classes: list[str] = self._receive()["classes"]

    def predict(self, picture: Picture) -> dict[str, Any]:
        """The answer for a new contact: index, label, probability, proba, anchor; check where pictures look foreign."""
        self._socket.send(_file(picture)[1])
        return self._receive()

    def learn(self, label: str) -> None:
        """The last contact is one of these."""
        self.classes = self._say({"learn": label})["classes"]

    def revise(self) -> list[dict[str, Any]]:
        """What the contacts of the window are by now, oldest first."""
        return self._say({"revise": True})["revised"]

    def keep(self) -> None:
        """Store what was learned as the session's sensor."""
        self._say({"keep": True})

    def _say(self, message: dict[str, Any]) -> dict[str, Any]:
        self._socket.send(json.dumps(message))
        return self._receive()

    def _receive(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._socket.recv())
        if "error" in answer:
            raise StudioError(0, answer["error"])
        return answer


def _file(picture: Picture) -> tuple[str, bytes]:
    """Name and bytes."""
    if isinstance(picture, bytes):
        return "image", picture
    _check_file(picture)
    return Path(picture).name, Path(picture).read_bytes()


def _check_files(pictures: Sequence[Picture]) -> None:
    if isinstance(pictures, Path):
        _check_file(pictures)
    if isinstance(pictures, str | bytes | Path):  # a text is a sequence too: of letters
        raise ValueError(f"images are {str(pictures)[:40]!r}, expected a list of files")
    if not isinstance(pictures, Sequence):  # it could be read only once
        raise ValueError(f"images are a {type(pictures).__name__}, expected a list of files: list(…)")
    for picture in pictures:
        _check_file(picture)


def _check_file(picture: Picture) -> None:
    if not isinstance(picture, bytes) and Path(picture).is_dir():
        raise ValueError(
            f"{str(picture)!r} is a folder, expected image files: pass its files, "
            f"for example sorted(Path({str(picture)!r}).glob('*.png'))"
        )


def _chunks(pictures: Sequence[Picture]) -> Iterator[list[tuple[str, bytes]]]:
    chunk: list[tuple[str, bytes]] = []
    size = 0
    for picture in pictures:
        name, content = _file(picture)
        if chunk and (len(chunk) == FILES or size + len(content) > BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append((name, content))
        size += len(content)
    if chunk:
        yield chunk
