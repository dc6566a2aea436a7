"""The door: who may ask, from where, how much and how slowly. Nothing is parsed or computed before it.

It answers ``/healthz`` itself, so that health does not wait for anything. Every other answer leaves with the
same strict headers. Errors are JSON ``{"error": …}``; no answer shows a stack trace.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from starlette.requests import ClientDisconnect

from bideta.studio.admission import Admission
from bideta.studio.compute import BusyError
from bideta.studio.state import State

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOG = logging.getLogger("bideta.studio")
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
GONE = 499  # noted in the metrics where the client left before its answer
SAFE = ("GET", "HEAD", "OPTIONS")
OPEN = ("/", "/healthz", "/v1/login")  # without a token: the empty page and the way in
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(self), microphone=(), geolocation=()"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
]


class TooLargeError(Exception):
    """The body passed the limit."""


class TooSlowError(Exception):
    """The body did not arrive in time."""


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: App, *, state: State, hosts: Iterable[str], any_address: bool) -> None:
        self.app, self.state, self.logins = app, state, state.logins
        self.hosts = {host.lower() for host in (*LOOPBACK, *hosts)}
        self.any_address = any_address  # bound to all interfaces: any IP address is then our own name
        self.inflight = 0  # bytes of bodies
        self.active = 0  # requests
        self.admission = Admission()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection's request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            refused = self._refuse(scope)
            if refused is None:
                await self.app(scope, receive, send)
            else:
                await self._pause(scope, refused)
                await receive()  # the handshake; closing before accepting it is an HTTP 403
                await send({"type": "websocket.close", "code": 1008, "reason": refused[1][:100]})
        else:
            await _Exchange(self, scope, receive, send).serve()

    def _refuse(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason, or None where the request may pass."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if not self._known(host):
            return 421, "unknown host name; if it is this machine's, start the studio with --allow-host NAME"
        unsafe = scope["type"] == "websocket" or scope["method"] not in SAFE
        origin = headers.get(b"origin")
        if unsafe and origin is not None and origin.partition("://")[2].lower() != host.lower():
            return 403, "requests from another page are not allowed"
        if unsafe and headers.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "requests from another page are not allowed"
        if not self._open(scope) and not self._shown(headers):
            return 401, "this server needs its token: Authorization: Bearer <token>"
        return None

    def _known(self, host: str) -> bool:
        name = re.sub(r":[0-9]+$", "", host).lower()
        if name in self.hosts:
            return True
        if not self.any_address:
            return False
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    def _open(self, scope: Scope) -> bool:
        path = scope["path"]
        return path in OPEN or (path.startswith("/static/") and ".." not in path)

    def _shown(self, headers: dict[bytes, str]) -> bool | None:
        """Whether the token is right, None where none is shown."""
        given = headers.get(b"authorization", "")
        bearer = given[7:].strip() if given.lower().startswith("bearer ") else None
        cookies = dict(part.strip().partition("=")[::2] for part in headers.get(b"cookie", "").split(";"))
        return self.logins.knows(bearer, cookies)

    async def _pause(self, scope: Scope, refused: tuple[int, str]) -> None:
        """Slow down who guesses tokens; who shows none is told at once."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if refused[0] == 401 and self._shown(headers) is False:
            await self.logins.pause()


class _Exchange:
    """One HTTP request: limits on what comes in, headers and counting on what goes out."""

    def __init__(self, guard: Guard, scope: Scope, receive: Receive, send: Send) -> None:
        self.guard, self.scope, self._receive, self._send = guard, scope, receive, send
        self.limits, self.pool = guard.state.limits, guard.state.pool
        self.start = time.perf_counter()
        self.deadline = self.start + self.limits.body_seconds
        form = dict(scope["headers"]).get(b"content-type", b"").lower().startswith(b"multipart/form-data")
        self.most = self.limits.request_bytes if form else self.limits.text_bytes
        self.received = 0
        self.status = 0
        self.body_done = False

    async def serve(self) -> None:
        guard, path = self.guard, self.scope["path"]
        guard.active += 1
        try:
            if path != "/healthz" and guard.active > self.limits.requests:
                await self.fail(503, "the server has as many requests as it may; try again later", 1)
                return
            if path != "/healthz":
                await guard.admission.wait()
            refused = guard._refuse(self.scope) or self._too_much()
            if refused is not None:
                await guard._pause(self.scope, refused)
                await self.fail(*refused)
            elif path == "/healthz":
                await self.answer(200, guard.state.health())
            else:
                await guard.app(self.scope, self.receive, self.send)
        except TooLargeError:
            await self.fail(413, f"the request is larger than {self.most:,} bytes")
        except TooSlowError:
            await self.fail(408, f"the request did not arrive within {self.limits.body_seconds:g} s")
        except ClientDisconnect:
            self.status = self.status or GONE
        except BusyError as error:
            await self.fail(429, str(error), error.retry_after)
        except Exception:  # the last door: the log has the trace, the client does not
            LOG.exception("%s %s failed", self.scope["method"], path)
            await self.fail(500, "the server failed on this request; its log says why")
        finally:
            guard.active -= 1
            guard.inflight -= self.received
            route = getattr(self.scope.get("route"), "path", "other")  # never the client's own text
            guard.state.metrics.note(route, self.status, time.perf_counter() - self.start)

    def _too_much(self) -> tuple[int, str] | None:
        """Refuse by what the headers announce, before a byte of the body is read."""
        announced = dict(self.scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > self.most:
            return 413, f"the request is larger than {self.most:,} bytes"
        if self.scope["method"] == "POST" and self.pool.full:
            raise BusyError(self.pool.retry_after())
        return None

    async def receive(self) -> Message:
        """The next piece of the body, within the limits of size, time and memory."""
        if self.body_done:
            return await self._receive()  # waits for the client to leave
        try:
            async with asyncio.timeout(max(0.0, self.deadline - time.perf_counter())):
                message = await self._receive()
        except TimeoutError as error:
            raise TooSlowError from error
        size = len(message.get("body", b""))
        self.received += size
        self.guard.inflight += size
        if self.received > self.most:
            raise TooLargeError(f"the request is larger than {self.most:,} bytes")
        if self.guard.inflight > self.limits.inflight_bytes:
            raise BusyError(self.pool.retry_after())
        self.body_done = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Pass an answer on, with the headers that all answers have."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            present = {name for name, _ in message.get("headers", [])}
            extra = [pair for pair in HEADERS if pair[0] not in present]
            if b"cache-control" not in present:
                extra.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await self._send(message)

    async def fail(self, status: int, reason: str, retry_after: int | None = None) -> None:
        """An error; the connection is closed where a body may still be on its way."""
        if self.status:  # the answer had begun: nothing to add
            return
        headers = [] if retry_after is None else [(b"retry-after", str(retry_after).encode())]
        if not self.body_done:
            headers.append((b"connection", b"close"))
        await self.answer(status, {"error": reason}, headers)

    async def answer(self, status: int, content: Any, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        body = json.dumps(content).encode()
        head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self.send({"type": "http.response.start", "status": status, "headers": [*head, *headers]})
        await self.send({"type": "http.response.body", "body": body})
