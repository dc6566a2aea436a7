"""Turns: a crowd is let in little by little, so that nobody inside waits for all of it."""

from __future__ import annotations

import asyncio
from collections import deque

EACH = 1  # requests that begin in one round of the event loop: under load a few milliseconds each


class Turns:
    """First come, first served, ``each`` in a round of the event loop.

    Whatever becomes ready in a round is dealt with before anything that comes meanwhile. When 256 requests arrive
    together a health check would wait for all of them; between turns it is only behind ``each``. A turn is a
    beginning, not a place: a slow client keeps nobody out.
    """

    def __init__(self, each: int = EACH) -> None:
        self.each = each
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._called = False

    async def wait(self) -> None:
        """Until it is one's turn."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._called:
            self._called = True
            loop.call_soon(self._call, loop)
        await turn

    def _call(self, loop: asyncio.AbstractEventLoop) -> None:
        called = 0
        while self._waiting and called < self.each:
            turn = self._waiting.popleft()
            if not turn.done():  # cancelled: whoever waited has gone
                turn.set_result(None)
                called += 1
        self._called = bool(self._waiting)
        if self._called:
            loop.call_soon(self._call, loop)
