"""Admission: one begins in each round of the event loop, in order, and nobody is forgotten."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("fastapi")

from bideta.studio.admission import Admission


def rounds_of(requests: int) -> list[tuple[int, int]]:
    """(request, round of the event loop in which its turn came), in the order in which they began."""
    turns = Admission()
    begun: list[tuple[int, int]] = []

    async def everyone() -> None:
        now = 0

        async def clock() -> None:
            nonlocal now
            while True:
                await asyncio.sleep(0)
                now += 1

        async def request(number: int) -> None:
            await turns.wait()
            begun.append((number, now))

        ticking = asyncio.create_task(clock())
        await asyncio.wait_for(asyncio.gather(*(request(i) for i in range(requests))), 10)
        ticking.cancel()

    asyncio.run(everyone())
    return begun


@pytest.mark.parametrize("requests", [1, 2, 9, 100])
def test_first_come_first_served_one_in_a_round(requests: int) -> None:
    begun = rounds_of(requests)
    assert [number for number, _ in begun] == list(range(requests))
    rounds = [when for _, when in begun]
    assert rounds == list(range(rounds[0], rounds[0] + requests))


def test_whoever_leaves_while_waiting_takes_no_turn() -> None:
    async def scene() -> list[str]:
        turns, begun = Admission(), []

        async def request(name: str) -> None:
            await turns.wait()
            begun.append(name)

        tasks = {name: asyncio.create_task(request(name)) for name in ("first", "gone", "last")}
        await asyncio.sleep(0)
        tasks["gone"].cancel()
        await asyncio.wait_for(asyncio.gather(*tasks.values(), return_exceptions=True), 10)
        await asyncio.wait_for(request("later"), 10)  # the queue was empty in between
        return begun

    assert asyncio.run(scene()) == ["first", "last", "later"]


def test_something_else_runs_between_two_turns() -> None:
    """What a health check needs: it does not wait for the whole crowd."""

    async def scene() -> tuple[int, int]:
        turns, begun = Admission(), 0

        async def request() -> None:
            nonlocal begun
            await turns.wait()
            begun += 1

        crowd = [asyncio.create_task(request()) for _ in range(50)]
        await asyncio.sleep(0)

        async def health() -> int:
            return begun

        seen = await asyncio.create_task(health())
        await asyncio.gather(*crowd)
        return seen, begun

    seen, begun = asyncio.run(scene())
    assert seen <= 2
    assert begun == 50
