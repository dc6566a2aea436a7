"""Clients of the load test: polite ones that do a sensor's work, and hostile requests that must not disturb them."""

from __future__ import annotations

import asyncio
import io
import json
import random
import struct
import time
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from benchmarks.load.server import TOKEN

OBJECTS = {"bolt": (200, 60, 40), "key": (60, 190, 60), "nut": (50, 60, 200)}
BUSY = (429, 503)
CUT = 0  # the connection was closed on us: an answer to a body that was never going to be read
PATIENCE = 120.0  # s for one answer
SENT = 2**20  # bytes of an endless body sent at a time
DRIP = 0.3  # s between two bytes of a slow client


@dataclass
class Tally:
    """What all clients saw."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[int] = field(default_factory=Counter)  # of polite requests
    hostile: Counter[tuple[str, int]] = field(default_factory=Counter)
    traces: int = 0
    finished: int = 0

    def note(self, kind: str, status: int, body: bytes, seconds: float) -> None:
        """Count one answer to a polite request."""
        self.statuses[status] += 1
        self.traces += b"Traceback" in body
        if status not in BUSY:
            self.seconds[kind].append(seconds)


class Connection:
    """HTTP/1.1 by hand: the least work on this side, because clients and server share the machine."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(
        self, method: str, path: str, body: bytes = b"", kind: str = "application/json"
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(_head(method, path, len(body), kind) + body)
        try:
            async with asyncio.timeout(PATIENCE):
                await self.writer.drain()
                assert self.reader is not None
                status, headers, content = await answer(self.reader)
        except (OSError, asyncio.IncompleteReadError):
            await self.close()
            raise
        if headers.get("connection") == "close":
            await self.close()
        return status, headers, content

    async def close(self) -> None:
        """Let go of the socket."""
        if self.writer is not None:
            self.writer.close()
            self.reader = self.writer = None


async def answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    """One answer read from a connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return int(head[0].split(" ")[1]), headers, body


def pictures(count: int) -> list[tuple[str, bytes]]:
    """Object and PNG bytes of ``count`` noisy contacts, objects in turn."""
    made = []
    for i in range(count):
        name = list(OBJECTS)[i % len(OBJECTS)]
        rng = np.random.default_rng(i)
        pixels = np.array(OBJECTS[name]) + rng.normal(0, 25, (64, 64, 3)) + rng.normal(0, 10, 3)
        out = io.BytesIO()
        Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(out, "PNG")
        made.append((name, out.getvalue()))
    return made


def form(content: bytes, **fields: str) -> tuple[bytes, str]:
    """A multipart body with one file, and its content type."""
    parts = [
        f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    parts.append(
        b'--edge\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n'
        + content
        + b"\r\n--edge--\r\n"
    )
    return b"".join(parts), "multipart/form-data; boundary=edge"


async def polite(
    port: int, contacts: list[tuple[str, bytes]], tally: Tally, hostile: float, seed: int
) -> None:
    """One sensor: uploads, adapt, predict; a busy server is waited for. Between them, hostile requests."""
    draw = random.Random(seed)
    connection = Connection(port)

    async def ask(kind: str, path: str, body: bytes, content_type: str = "application/json") -> bytes:
        while True:
            if draw.random() < hostile / (1 - hostile):
                await attack(port, draw.choice(list(ATTACKS)), tally)
            start = time.perf_counter()
            status, headers, content = await connection.ask("POST", path, body, content_type)
            tally.note(kind, status, content, time.perf_counter() - start)
            if status not in BUSY:
                return content
            await asyncio.sleep(float(headers.get("retry-after", "1")) * draw.uniform(0.5, 1.5))

    session = json.loads(await ask("session", "/v1/sessions", b"{}"))["session"]
    for i, (name, content) in enumerate(contacts):
        body, kind = form(content, key=str(i), **({"labels": name} if i < len(contacts) * 2 // 3 else {}))
        await ask("upload", f"/v1/sessions/{session}/contacts", body, kind)
    wish = json.dumps({"session": session}).encode()
    await ask("adapt", "/v1/adapt", wish)
    answered = json.loads(await ask("predict", "/v1/predict", wish))
    if len(answered.get("contacts", [])) == len(contacts) - len(contacts) * 2 // 3:
        tally.finished += 1
    await connection.close()


async def attack(port: int, kind: str, tally: Tally) -> None:
    """One hostile request on a connection of its own; its status is noted, a cut connection as 0."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        tally.hostile[kind, CUT] += 1
        return
    try:
        async with asyncio.timeout(PATIENCE):
            await ATTACKS[kind](writer)
            status, _, body = await answer(reader)
        tally.traces += b"Traceback" in body
        tally.hostile[kind, status] += 1
    except (OSError, asyncio.IncompleteReadError):
        tally.hostile[kind, CUT] += 1
    finally:
        writer.close()


def _head(method: str, path: str, length: int | None, kind: str = "application/json") -> bytes:
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {TOKEN}"]
    return "\r\n".join([*lines, f"Content-Type: {kind}", size, "\r\n"]).encode()


async def _bomb(writer: asyncio.StreamWriter) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)  # 3.6 gigapixels in 200 bytes
    image = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(9999)))
        + chunk(b"IEND", b"")
    )
    body, kind = form(image, labels="bolt")
    writer.write(_head("POST", "/v1/adapt", len(body), kind) + body)


async def _announced(writer: asyncio.StreamWriter) -> None:
    writer.write(_head("POST", "/v1/predict", 100 * SENT) + bytes(SENT))
    await writer.drain()


async def _endless(writer: asyncio.StreamWriter) -> None:
    writer.write(_head("POST", "/v1/predict", None))
    for _ in range(100):
        writer.write(f"{SENT:x}\r\n".encode() + bytes(SENT) + b"\r\n")
        await writer.drain()
    writer.write(b"0\r\n\r\n")


async def _traversal(writer: asyncio.StreamWriter) -> None:
    path = random.choice(
        ("/static/../../../../etc/passwd", "/static/%2e%2e/app.py", "/v1/sessions/..%2f..%2fetc/results")
    )
    writer.write(_head("GET", path, 0))


async def _nonsense(writer: asyncio.StreamWriter) -> None:
    body = random.choice((b"{", b"[" * 5000, b"\xff\xfe", b'{"session": 1e999}', b'{"session": "../../etc"}'))
    writer.write(_head("POST", "/v1/predict", len(body)) + body)


async def _slow(writer: asyncio.StreamWriter) -> None:
    writer.write(_head("POST", "/v1/predict", 6))
    for _ in range(6):
        await asyncio.sleep(DRIP)
        writer.write(b"{")
        await writer.drain()


ATTACKS = {
    "image bomb": _bomb,
    "100 MB announced": _announced,
    "100 MB unannounced": _endless,
    "path traversal": _traversal,
    "invalid JSON": _nonsense,
    "slow client": _slow,
}
