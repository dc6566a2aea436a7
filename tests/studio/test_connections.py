"""Clients that crowd the door, never finish, or never read: a server of its own, with short time limits."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytest.importorskip("uvicorn", reason="the studio needs the extra serve")

PROGRAM = """
import sys
from pathlib import Path
import uvicorn
from starlette.responses import PlainTextResponse
from bideta.cli.studio import bind, serve
from bideta.studio import connections
from bideta.studio.connections import Connection, Stream
connections.CONNECTIONS = 20
Connection.header_seconds = Connection.write_seconds = Stream.write_seconds = 1.0
async def app(scope, receive, send):
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass
    if scope["type"] == "http":
        while scope["path"] == "/wait" and (await receive()).get("more_body"):
            pass
        body = bytes(2**26) if scope["path"] == "/large" else b"ok"
        await PlainTextResponse(body)(scope, receive, send)
with bind("127.0.0.1", 0) as sock:
    serve(app, sock, lambda: print(sock.getsockname()[1], flush=True), 2**20)
"""


@pytest.fixture(scope="module")
def port():
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as server:
        try:
            yield int(server.stdout.readline())
        finally:
            server.terminate()


def connected(port):
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def answered(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20) as answer:
        return answer.read() == b"ok"


def read_answer(connection):
    said = b""
    while not said.endswith(b"\r\n\r\nok"):
        piece = connection.recv(1000)
        assert piece, said
        said += piece


def seconds_until_cut_off(connection):
    start = time.monotonic()
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass
    return time.monotonic() - start


@pytest.mark.parametrize("sent", [b"", b"GET", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST / HTTP/1.1\r\nA: "])
def test_a_header_that_does_not_end_is_cut_off(port, sent):
    with connected(port) as slow:
        slow.sendall(sent)
        assert seconds_until_cut_off(slow) < 10


def test_a_header_that_drips_is_cut_off(port):
    with connected(port) as slow:
        start = time.monotonic()
        with pytest.raises(OSError):  # noqa: PT012
            slow.sendall(b"GET / HTTP/1.1\r\n")
            while time.monotonic() - start < 15:
                slow.sendall(b"A: b\r\n")
                time.sleep(0.1)
        assert time.monotonic() - start < 12


def test_the_next_header_of_a_connection_has_its_time_too(port):
    with connected(port) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        read_answer(slow)
        time.sleep(1.5)  # longer than a header may take: being idle between requests is no crime
        slow.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        read_answer(slow)
        slow.sendall(b"GET / HT")
        assert seconds_until_cut_off(slow) < 10


def test_a_client_that_does_not_read_is_cut_off(port):
    with connected(port) as deaf:
        deaf.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        time.sleep(3)
        received = 0
        try:
            while piece := deaf.recv(65536):
                received += len(piece)
        except ConnectionResetError:
            pass
        assert received < 2**26


PING = b"\x89\xfd" + bytes(4) + b"x" * 125  # its answer is as long
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def upgraded(port):
    connection = connected(port)
    connection.sendall(UPGRADE)
    said = b""
    while not said.endswith(b"\r\n\r\n"):
        said += connection.recv(1)
    assert said.startswith(b"HTTP/1.1 101")
    return connection


def test_a_websocket_that_does_not_read_is_cut_off(port):
    """Each of its pings was answered in the server's memory: 285 MB in 20 s."""
    with upgraded(port) as deaf, pytest.raises((ConnectionResetError, BrokenPipeError)):
        deaf.sendall(PING * 2**19)
    assert answered(port)


def test_a_websocket_that_reads_late_gets_every_answer(port):
    count = 2**17
    with upgraded(port) as late, ThreadPoolExecutor(1) as other:
        sent = other.submit(late.sendall, PING * count)
        time.sleep(0.5)
        received = 0
        while received < 127 * count:
            piece = late.recv(2**20)
            assert piece
            received += len(piece)
        sent.result()


def test_a_crowd_with_unfinished_headers_keeps_nobody_out(port):
    """More connections than there may be, again and again, none of them ever finished."""
    with ExitStack() as crowd:
        for _ in range(60):
            crowd.enter_context(connected(port)).sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        assert answered(port)
        for _ in range(60):
            crowd.enter_context(connected(port))
        assert answered(port)


def test_a_crowd_with_unfinished_bodies_keeps_nobody_out(port):
    with ExitStack() as crowd:
        for _ in range(120):  # more than there may be, and more than the reserve
            sent = b"POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx"
            crowd.enter_context(connected(port)).sendall(sent)
        assert answered(port)
