"""Requests with anything in them: refused with a reason, or answered; never a fault of the server, never for long."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from functools import cache
from http.client import HTTPException, HTTPResponse

import numpy as np

from attacks import images, names
from attacks.tally import Tally
from attacks.worker import judged
from support.studio_in_thread import attacked_home, form, studio
from support.studio_server import picture

METHODS = ("GET", "POST", "PATCH", "DELETE", "HEAD", "PUT", "OPTIONS", "TRACE", "get", "P0ST")
PATHS = (
    *("/", "/healthz", "/metrics", "/openapi.json", "/static/app.js", "/static/../app.py", "/nowhere"),
    *("/v1/info", "/v1/sessions", "/v1/login", "/v1/example", "/v1/jobs/x", "/v1/stream"),
    *("/v1/adapt", "/v1/predict", "/v1/rank", "/v1/learn") * 3,
    *(
        f"/v1/sessions/SESSION{rest}"
        for rest in ("", "/contacts", "/results", "/contacts/c1-0", "/contacts/c4-0/explain")
    ),
    *(
        f"/v1/sessions/SESSION/export/{what}"
        for what in ("sensor.bideta", "predictions.csv", "contacts.zip", "x")
    ),
)
KINDS = (
    "application/json",
    "multipart/form-data; boundary=edge",
    "multipart/form-data",
    "text/plain",
    "",
    "\xff",
)
VALUES = (
    None,
    True,
    0,
    -1,
    1e308,
    10**400,
    "",
    "x",
    "9" * 5000,
    [],
    {},
    [[[]]],
    [[[0.0]]],
    [[["x"]]],
    {"a": {}},
)
FIELDS = (
    "session",
    "readouts",
    "top",
    "label",
    "contact",
    "preset",
    "prior",
    "title",
    "token",
    "sensor",
    "more",
)
HEADERS = (
    *(
        "Host: evil.example",
        "Host: ",
        "Origin: http://evil.example",
        "Sec-Fetch-Site: cross-site",
        "Cookie: a=b; ;=",
    ),
    *(
        "Authorization: Bearer ",
        "Content-Length: 99999999999",
        "Content-Length: -1",
        "Content-Length: " + "9" * 5000,
    ),
    *(
        "Transfer-Encoding: chunked",
        "Expect: 100-continue",
        "Upgrade: websocket",
        "Connection: upgrade",
        "Range: bytes=9-1",
    ),
    *("X: " + "y" * 70_000, "Accept-Encoding: \xff", "If-None-Match: *", "Content-Encoding: gzip"),
)
FAULTS = (500, 501, 502)


class RefusedRequestError(Exception):
    """The server would not have it: a status from 400 on, or a closed door."""


@cache
def bodies() -> tuple[bytes, ...]:
    """Sound bodies."""
    session, picture_ = "SESSION", picture("bolt", 1)
    return (
        json.dumps({"session": session}).encode(),
        json.dumps({"session": session, "readouts": [[[0.0] * 4], [[0.0] * 4]], "top": 3}).encode(),
        json.dumps({"session": session, "contact": "c4-0", "label": "bolt"}).encode(),
        form([("a.png", picture_)], session=session)[0],
        form([("a.png", picture_)], session=session, top="2")[0],
        form([("a.png", picture_)], labels="bolt")[0],
    )


def body(rng: np.random.Generator) -> bytes:
    """A sound body, one with other values, an altered one, a form with an attacked picture, or anything."""
    kind = rng.random()
    sound = bodies()[int(rng.integers(len(bodies())))]
    if kind < 0.2:
        return sound
    if kind < 0.5:
        fields = [str(name) for name in rng.choice(FIELDS, int(rng.integers(1, 5)))]
        wish = {name: VALUES[int(rng.integers(len(VALUES)))] for name in fields}
        return json.dumps({"session": "SESSION", **wish} if rng.random() < 0.7 else wish).encode()
    if kind < 0.7:
        return (images.altered if rng.random() < 0.5 else images.cut)(sound, rng)
    if kind < 0.85:
        files = [(names.text(rng), content) for content in images.cases(rng, int(rng.integers(1, 4)))]
        return form(files, session="SESSION", **({"labels": names.text(rng)} if rng.random() < 0.3 else {}))[
            0
        ]
    if kind < 0.9:
        return b"[" * int(rng.integers(1, 100_000))
    return rng.bytes(int(rng.integers(0, 2000)))


def request(rng: np.random.Generator) -> bytes:
    """The bytes of one request; SESSION stands for the session's id."""
    content = body(rng)
    method = str(rng.choice(METHODS[:4] if rng.random() < 0.85 else METHODS))
    path = PATHS[int(rng.integers(len(PATHS)))]
    if rng.random() < 0.1:
        path += str(
            rng.choice(
                ["?a=%00", "/%2e%2e/x", "?session=SESSION&window=9999999", "//", "%ff", "?" + "q" * 9000]
            )
        )
    kind = (
        KINDS[1]
        if content.startswith(b"--edge") and rng.random() < 0.9
        else KINDS[int(rng.integers(len(KINDS)))]
    )
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Type: {kind}"]
    lines += [str(rng.choice(HEADERS)) for _ in range(int(rng.integers(0, 3)))] if rng.random() < 0.3 else []
    head = "\r\n".join([*lines, f"Content-Length: {len(content)}", "Connection: close", "", ""])
    whole = head.encode("latin-1", "replace") + content
    return images.altered(whole, rng) if rng.random() < 0.05 else whole


def answer(case: bytes) -> None:
    """Send it, read the answer to its end; the session must still be there."""
    session = studio().session.encode()
    grown = case.count(b"SESSION") * (len(session) - len(b"SESSION"))
    length = b"Content-Length: "
    head, blank, content = case.partition(b"\r\n\r\n")
    if grown and (inside := content.count(b"SESSION")):
        old = length + str(len(content)).encode()
        head = head.replace(old, length + str(len(content) + inside * (len(session) - 7)).encode())
    status = _status(b"".join([head, blank, content]).replace(b"SESSION", session))
    assert status not in FAULTS, status
    assert studio().ask("GET", "/healthz")[0] == 200
    if studio().ask("GET", f"/v1/sessions/{studio().session}")[0] == 404:  # a sound request deleted it
        studio().session = studio()._filled()
    if not 200 <= status < 400:
        raise RefusedRequestError(status)


def _status(sent: bytes) -> int:
    """Of the answer, read to its end; 400 where the connection was closed without one that can be read."""
    with socket.create_connection(("127.0.0.1", studio().port), timeout=60) as connection:
        # Its own length ends an answer: a request whose "close" was altered leaves the connection open after it.
        answered = HTTPResponse(connection, method=sent.split(b" ")[0].decode("latin-1"))
        received = b""
        try:
            connection.sendall(sent)
            answered.begin()
            received = answered.read()
        except (ConnectionResetError, BrokenPipeError, HTTPException):
            pass
        finally:
            answered.close()
    assert b"Traceback" not in received
    return answered.status if isinstance(answered.status, int) else 400


def warm_up() -> None:
    """Start the server and use it once."""
    names.answer(("a.png", names.LABEL, "", "left finger"))
    images.warm_up()


def attack(rng: np.random.Generator, tries: int) -> Tally:
    """One request after the other to one server."""
    with attacked_home():
        return judged("server_requests", _cases(rng, tries), answer, (RefusedRequestError,))


def _cases(rng: np.random.Generator, tries: int) -> Iterator[bytes]:
    for _ in range(tries):
        yield request(rng)
