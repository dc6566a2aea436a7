"""Who may come in: the token, a ticket that opens the door once, and patience with those who guess."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import deque

SHORTEST = 8  # characters of a token
TICKET_SECONDS = 120.0  # a browser takes that long to start
PAUSE = 0.25  # s for every wrong token of the last minute, before the next one is answered
LONGEST = 5.0  # s
PAUSED = 128  # answers that wait at a time: guessing must not fill the server either
MINUTE = 60.0


class Logins:
    """All that is known about a server's token. Without one everybody may come in."""

    def __init__(self, token: str | None) -> None:
        if token is not None:
            check_token(token)
        self.token = token
        self._tickets: dict[str, float] = {}
        self._wrong: deque[float] = deque(maxlen=int(LONGEST / PAUSE))
        self._paused = 0

    def ticket(self) -> str:
        """A word that is as good as the token, once and soon: it may show in a list of processes."""
        word = secrets.token_urlsafe(24)
        self._tickets[word] = time.monotonic() + TICKET_SECONDS
        return word

    def admits(self, word: str) -> bool:
        """Whether the word is the token, or a ticket, which is used up by this."""
        if self.token is None or _same(word, self.token):
            return True
        return self._tickets.pop(word, 0.0) > time.monotonic()

    def knows(self, bearer: str | None, cookies: dict[str, str]) -> bool | None:
        """Whether a request shows the token or the cookie; None where it shows neither."""
        if self.token is None:
            return True
        if bearer is not None:
            return _same(bearer, self.token)
        name, value = self.cookie()
        return _same(cookies[name], value) if name in cookies else None

    def cookie(self) -> tuple[str, str]:
        """Name and value of what a browser keeps instead of the token; servers on one machine share its cookies."""
        value = hashlib.sha256(b"bideta studio " + str(self.token).encode()).hexdigest()
        return f"bideta_{hashlib.sha256(value.encode()).hexdigest()[:12]}", value

    async def pause(self) -> None:
        """Called before a wrong token is answered: the more of them came lately, the longer it takes."""
        now = time.monotonic()
        self._wrong.append(now)
        if self._paused >= PAUSED:
            return
        self._paused += 1
        try:
            await asyncio.sleep(min(LONGEST, PAUSE * sum(now - when < MINUTE for when in self._wrong)))
        finally:
            self._paused -= 1


def check_token(token: str) -> None:
    """Refuse a token that is guessed at once, or that no header can carry."""
    if len(token) < SHORTEST:
        raise ValueError(
            f"the token has {len(token)} characters, expected at least {SHORTEST}; for example {new_token()}"
        )
    if not token.isascii() or not token.isprintable() or token != token.strip():
        raise ValueError("the token must be printable ASCII without blanks around it: it is sent in a header")


def new_token() -> str:
    """One that nobody guesses."""
    return secrets.token_urlsafe(24)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())
