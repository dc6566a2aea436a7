from __future__ import annotations

import asyncio

import pytest

from bideta.studio import logins
from bideta.studio.logins import Logins, new_token


@pytest.mark.parametrize(
    "token", ["", "x", "7 chars", " blanks ", "tab\tinside", "ｔｏｋｅｎ ｗｏｒｄ", "line\nbreak"]
)
def test_tokens_that_are_guessed_or_cannot_be_sent_are_refused(token):
    with pytest.raises(ValueError, match="token"):
        Logins(token)


def test_only_the_token_and_a_fresh_ticket_are_admitted(monkeypatch):
    door = Logins(new_token())
    assert door.admits(door.token)
    assert not door.admits(new_token())
    assert not door.admits("\ud800")
    ticket = door.ticket()
    assert door.admits(ticket)
    assert not door.admits(ticket)
    late = door.ticket()
    now = logins.time.monotonic()
    monkeypatch.setattr(logins.time, "monotonic", lambda: now + 121)
    assert not door.admits(late)


def test_a_request_is_known_by_its_token_or_its_cookie():
    door, other = Logins(new_token()), Logins(new_token())
    name, value = door.cookie()
    assert door.knows(door.token, {})
    assert door.knows(None, {name: value})
    assert door.knows(None, {name: "wrong"}) is False
    assert door.knows("wrong", {name: value}) is False
    assert door.knows(None, dict([other.cookie()])) is None  # of another server on the same machine
    assert door.token not in name + value
    assert Logins(None).knows(None, {})


def test_guessing_becomes_slower_and_does_not_pile_up(monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(logins.asyncio, "sleep", sleep)
    door = Logins(new_token())
    for _ in range(40):
        asyncio.run(door.pause())
    assert slept[:3] == [0.25, 0.5, 0.75]
    assert slept[-1] == logins.LONGEST
    door._paused = logins.PAUSED
    asyncio.run(door.pause())
    assert len(slept) == 40
