"""Connections that nobody can hold for nothing: uvicorn's own, with time limits and a way to make room.

uvicorn waits for ever for the end of a request's header and for a client that does not read, and with as many
connections as it may have it sends everybody away, health checks too. Here whoever has been waiting longest without a
request makes room for the next one.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

CONNECTIONS = 1024  # at a time; the next one takes the place of one without a request
RESERVE = 64  # more, where every connection has a request: health checks among them
PROGRESS = 2**14  # bytes
BUSY = 3  # rank of a connection that is being answered: it is never cut off for another
OTHER_FILES = 128  # that a server has open beside connections: sessions, weights, pipes


class _Patience(asyncio.Protocol):
    """A client that does not read what is sent to it is cut off; comes before a protocol of uvicorn's."""

    write_seconds = 30.0  # in which a client that is behind must take ``PROGRESS`` bytes of its answer
    _stalled: asyncio.TimerHandle | None = None
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport

    def pause_writing(self) -> None:
        """The client does not read as fast as we write."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """The client has read."""
        super().resume_writing()
        self._read_at_last()

    def connection_lost(self, exc: Exception | None) -> None:
        """The end, whoever ended it."""
        self._read_at_last()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Look again later whether the client has read."""
        unsent = self.transport.get_write_buffer_size()

        def look() -> None:
            if self.transport.get_write_buffer_size() > unsent - PROGRESS:
                self._give_up()
            else:
                self._watch()

        self._stalled = self.loop.call_later(self.write_seconds, look)

    def _read_at_last(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _give_up(self) -> None:
        self.transport.abort()


class Stream(_Patience, AutoWebSocketsProtocol):  # type: ignore[misc, valid-type]
    """One websocket. Every ping is answered, so nothing more is read from a client that does not read the answers."""

    def pause_writing(self) -> None:
        """Answers pile up."""
        super().pause_writing()
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        """The client has read them."""
        super().resume_writing()
        if not getattr(self, "read_paused", False):  # a message waits for its turn
            self.transport.resume_reading()


class Connection(_Patience, H11Protocol):
    """One connection over HTTP/1.1."""

    header_seconds = 8.0  # from the first moment, or a later request's first byte, to the end of its header
    most = CONNECTIONS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._header: asyncio.TimerHandle | None = None
        self._upgraded = False  # to a websocket, which has time limits of its own
        self._since = time.monotonic()
        self._answered = False  # a request, so far

    @property
    def idle(self) -> bool:
        """True where no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a header; make room where there is none."""
        super().connection_made(transport)
        self._header = self.loop.call_later(self.header_seconds, self._give_up)
        if len(self.connections) > self.most:
            self._make_room()

    def _make_room(self) -> None:
        """Cut off who waits longest: first of those that never sent a request, of the idle, of unfinished bodies."""
        ranked = [
            (other._rank(), other._since, other)
            for other in self.connections
            if isinstance(other, Connection)
        ]
        oldest = min((one for one in ranked if one[0] < BUSY), key=lambda one: one[:2])[2]
        if oldest is not self or len(self.connections) > self.most + RESERVE:
            oldest._give_up()

    def _rank(self) -> int:
        """How much a client would lose with this connection."""
        if self.idle:
            return int(self._answered)
        return 2 if self.cycle.more_body else BUSY

    def data_received(self, data: bytes) -> None:
        """Take what has come; a header that has begun must end soon."""
        super().data_received(data)
        if not self.idle or self._upgraded:
            self._header_came()
        elif self._header is None and not self.transport.is_closing():
            self._header = self.loop.call_later(self.header_seconds, self._give_up)

    def on_response_complete(self) -> None:
        """A request was answered: idle from now on."""
        self._since, self._answered = time.monotonic(), True
        super().on_response_complete()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """The connection goes on as a websocket."""
        self._upgraded = True
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """The end, whoever ended it."""
        self._header_came()
        super().connection_lost(exc)

    def _header_came(self) -> None:
        if self._header is not None:
            self._header.cancel()
            self._header = None

    def _give_up(self) -> None:
        super()._give_up()
        self.connections.discard(self)  # at once: a crowd may come before the loop says that it is lost


def allow_open_files() -> None:
    """Let this process open as many files as its connections need, or have fewer connections."""
    if sys.platform == "win32":
        return
    import resource

    needed = CONNECTIONS + RESERVE + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        needed = min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    Connection.most = max(1, needed - RESERVE - OTHER_FILES)
