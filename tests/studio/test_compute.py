from __future__ import annotations

import asyncio
import threading
import time

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from bideta.studio.compute import BusyError, Pool, TooLongError


@pytest.fixture
def pool():
    pool = Pool(slots=2, queue=1)
    yield pool
    pool.close()


def test_jobs_beyond_slots_and_queue_are_sent_away_with_a_time_to_come_back(pool):
    gate = threading.Event()
    held = [pool.submit(gate.wait) for _ in range(3)]
    assert (pool.running, pool.waiting, pool.full) == (2, 1, True)
    with pytest.raises(BusyError) as refused:
        pool.submit(gate.wait)
    assert refused.value.retry_after >= 1
    gate.set()
    for job in held:
        job.result(5)
    assert pool.submit(int, "7").result(5) == 7


def test_whoever_is_sent_away_later_comes_back_later_but_never_too_late(pool, monkeypatch):
    now = 100.0
    monkeypatch.setattr("bideta.studio.compute.time.monotonic", lambda: now)
    pool._seconds = 0.5  # a job; two slots: four jobs a second
    waits = [pool.retry_after() for _ in range(200)]
    assert waits == sorted(waits)
    assert waits[0] == 1
    assert waits[40] == 11  # behind forty others, half of the queue and its own job
    assert max(waits) == 20
    now += 20.0  # all of them are back
    assert pool.retry_after() == 1


def test_a_job_that_fails_leaves_its_slot(pool):
    for _ in range(5):
        with pytest.raises(ValueError, match="invalid literal"):
            pool.submit(int, "seven").result(5)
    assert pool.running == 0


def test_a_caller_that_leaves_gives_up_a_job_that_has_not_begun(pool):
    gate = threading.Event()
    ran = []

    async def leave():
        held = [pool.submit(gate.wait) for _ in range(2)]
        task = asyncio.create_task(pool.run(ran.append, 1))
        await asyncio.sleep(0.01)
        assert pool.waiting == 1
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        gate.set()
        for job in held:
            job.result(5)

    asyncio.run(leave())
    assert pool.running == 0
    assert not ran


def test_an_answer_that_takes_too_long_is_given_up():
    pool, gate = Pool(slots=1, queue=1, seconds=0.05), threading.Event()
    with pytest.raises(TooLongError, match=r"within 0\.05 s"):
        asyncio.run(pool.run(gate.wait))
    assert pool.running == 1  # a thread cannot be stopped; its slot is free when it ends
    gate.set()
    assert asyncio.run(pool.run(int, "7")) == 7
    assert pool.close()


def test_closing_waits_a_little_and_leaves_the_rest_behind():
    pool, begun, gate = Pool(slots=1, queue=1), threading.Event(), threading.Event()
    runs, waits = pool.submit(lambda: begun.set() or gate.wait()), pool.submit(int, "7")
    assert begun.wait(5)
    start = time.monotonic()
    assert not pool.close(seconds=0.05)
    assert time.monotonic() - start < 2
    assert waits.cancelled()
    assert all(thread.daemon for thread in pool._threads)  # the interpreter does not wait for them either
    gate.set()
    assert runs.result(5)


def blas():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_gets_one_thread_while_the_pool_lives():
    with threadpool_limits(2, "blas"):  # whatever the environment says
        assert blas() == {2}
        pool = Pool(slots=2, queue=1)
        assert blas() == {1}
        assert pool.close()
        assert blas() == {2}


def test_impossible_sizes_are_refused():
    with pytest.raises(ValueError, match="slots=0"):
        Pool(slots=0, queue=1)
