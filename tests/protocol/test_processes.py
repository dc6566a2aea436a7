from __future__ import annotations

import os
import time

import pytest

from bideta.protocol.processes import Died, one_thread, spread
from support.worker_tasks import double, sleep, threads


def test_every_task_is_done_once():
    assert sorted(spread(double, 10, range(7), jobs=2)) == [(n, 10 * n) for n in range(7)]


def test_a_task_whose_worker_dies_is_done_by_another_one(tmp_path, monkeypatch):
    monkeypatch.setenv("TINY_MARKER", str(tmp_path / "killed"))
    assert sorted(spread(double, 10, [1, -2, 3], jobs=1)) == [(-2, -20), (1, 10), (3, 30)]
    assert (tmp_path / "killed").exists()


def test_a_task_that_kills_every_worker_is_given_up_and_the_others_go_on():
    results = dict(spread(double, 10, [1, -100, 3, 4], jobs=2))
    assert {task: results[task] for task in (1, 3, 4)} == {1: 10, 3: 30, 4: 40}
    assert results[-100] == Died(-9)
    assert "killed by signal 9" in str(results[-100])


def test_workers_have_one_thread_each(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "5")
    assert [result for _, result in spread(threads, None, [0], jobs=1)] == ["1,1"]
    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_leaving_early_ends_the_workers():
    running = spread(sleep, None, [0.0, 60.0], jobs=2)
    _, process = next(running)
    start = time.monotonic()
    running.close()
    assert time.monotonic() - start < 10
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_variables_that_were_not_set_are_not_set_afterwards(monkeypatch):
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with one_thread():
        assert os.environ["MKL_NUM_THREADS"] == "1"
    assert "MKL_NUM_THREADS" not in os.environ
