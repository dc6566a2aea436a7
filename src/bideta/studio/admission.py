"""Admission: requests that arrive together begin one after the other, so that a health check waits for one only."""

from __future__ import annotations

import asyncio
from collections import deque


class Admission:
    """First come, first served, one in a round of the event loop.

    Whatever becomes ready in a round is dealt with before anything that comes meanwhile. When 256 requests arrive
    together a health check would wait for all of them, milliseconds each; between turns it is behind one. A turn
    allows a request to begin and ends at once, so a slow client delays nobody.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._called = False

    async def wait(self) -> None:
        """Return when it is the caller's turn."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._called:
            self._called = True
            loop.call_soon(self._call, loop)
        await turn

    def _call(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # done: cancelled, because its client has gone
                turn.set_result(None)
                break
        self._called = bool(self._waiting)
        if self._called:
            loop.call_soon(self._call, loop)
