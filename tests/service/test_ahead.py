from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest

from bideta.service import ahead as module
from bideta.service.ahead import ahead


def running() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("ahead-")]


@pytest.mark.parametrize("workers", [1, 3, None])
@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_results_come_in_the_order_of_the_items(workers, count):
    def slow(i: int) -> int:
        time.sleep(0.001 * (7 * i % 3))
        return i * i

    assert list(ahead(slow, range(count), 5, workers=workers)) == [i * i for i in range(count)]
    assert not running()


def test_the_next_results_are_made_while_the_caller_works():
    begun = [threading.Event() for _ in range(4)]
    with closing(ahead(lambda i: begun[i].set(), range(4), 2, workers=1)) as results:
        next(results)
        assert all(event.wait(10) for event in begun[1:3])  # two ahead of the one that was taken
        time.sleep(0.02)
        assert not begun[3].is_set()


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_is_begun_than_may_wait(workers):
    begun = []
    with closing(ahead(begun.append, range(1000), 6, workers=workers)) as results:
        for taken, _ in zip(range(1, 50), results, strict=False):
            assert len(begun) <= taken + 6
        time.sleep(0.02)
    assert len(begun) <= 49 + 6


def test_large_results_wait_in_small_numbers(monkeypatch):
    monkeypatch.setattr(module, "AHEAD_BYTES", 100)
    begun = []
    with closing(ahead(begun.append, range(50), 40, lambda _: 60, workers=2)) as results:
        for taken, _ in enumerate(results, 1):
            # Two of them are enough; each of two threads may have begun one more before they counted.
            assert len(begun) <= taken + 4
    assert begun == sorted(begun)
    assert len(begun) == 50


def test_one_result_alone_may_be_larger_than_all_that_may_wait(monkeypatch):
    monkeypatch.setattr(module, "AHEAD_BYTES", 1)
    assert list(ahead(lambda i: i, range(9), 4, lambda _: 10, workers=3)) == list(range(9))


def test_an_error_is_raised_when_it_is_the_items_turn():
    def fragile(i: int) -> int:
        if i == 3:
            raise OSError("the disk is gone")
        return i

    seen = []
    with pytest.raises(OSError, match="the disk is gone"):
        seen.extend(ahead(fragile, range(9), 9, workers=2))
    results = ahead(fragile, range(9), 9, workers=2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(OSError, match="the disk is gone"):
        next(results)
    assert not running()


def test_threads_end_where_the_caller_stops_early():
    with closing(ahead(lambda i: i, range(1000), 8)) as results:
        assert next(results) == 0
        assert running()
    assert not running()


def test_a_window_of_nothing_is_refused():
    with pytest.raises(ValueError, match="0 results at a time"):
        next(ahead(lambda i: i, range(3), 0))
