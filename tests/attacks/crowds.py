"""Slow and crowded clients: whatever they do with their connections, others are answered meanwhile and afterwards."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import numpy as np

from attacks.tally import Tally
from attacks.worker import judged
from bideta.studio.connections import Connection
from support.studio_in_thread import attacked_home, studio
from support.studio_server import picture

MOST = 24  # connections that the attacked server has, so that a small crowd is one
HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
WAYS = {
    "nothing": b"",
    "half a header": HEAD,
    "half a line": b"GET /he",
    "a request and a half": HEAD + b"\r\n" + HEAD,
    "no body": b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{",
    "no chunks": b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
    "deaf": b"GET /static/app.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 200,
    "guesses": b"GET /v1/info HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\n\r\n",
    "websocket": b"GET /v1/stream?session=x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Upgrade: websocket\r\nConnection: upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    "noise": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}
Case = list[tuple[str, int, int]]  # way, connections, bytes that drip afterwards


def answer(case: Case) -> None:
    """Let the crowd in; health and an upload are answered beside it."""
    server = studio()
    Connection.most = MOST
    with ExitStack() as crowd:
        opened = []
        for way, count, drips in case:
            for _ in range(count):
                connection = crowd.enter_context(
                    socket.create_connection(("127.0.0.1", server.port), timeout=10)
                )
                opened.append((connection, drips))
                _send(connection, WAYS[way])
        for _ in range(max(drips for _, _, drips in case)):
            for connection, drips in opened:
                if drips:
                    _send(connection, b"x")
            time.sleep(0.02)
        _asked()
    _asked()


def _asked() -> None:
    assert studio().ask("GET", "/healthz")[0] == 200  # within the time that a case may take
    assert studio().upload(studio().session, [("a.png", picture("key", 991))], key="one")["added"]


def _send(connection: socket.socket, sent: bytes) -> None:
    with suppress(ConnectionResetError, BrokenPipeError, ConnectionAbortedError):  # cut off: what it came for
        connection.send(sent)


def warm_up() -> None:
    """Start the server."""
    _asked()


def cases(rng: np.random.Generator, tries: int) -> Iterator[Case]:
    """One to three groups of up to three times as many connections as there may be."""
    ways = list(WAYS)
    for _ in range(tries):
        yield [
            (ways[int(rng.integers(len(ways)))], int(rng.integers(1, 3 * MOST)), int(rng.choice([0, 0, 5])))
            for _ in range(int(rng.integers(1, 4)))
        ]


def attack(rng: np.random.Generator, tries: int) -> Tally:
    """One crowd after the other at the door of one server."""
    with attacked_home():
        return judged("crowds", cases(rng, tries), answer, ())
