"""A short run of every attack: nothing crashes, nothing takes 500 MB or 10 s. ``make attack`` is the long one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attacks import page
from attacks.kinds import kinds
from attacks.tally import SECONDS, Tally
from attacks.worker import judged
from support.worker_tasks import misbehave

TRIES = 60
# Each of these waits for a server.
SHORT = {"crowds": 4, "names": 8, "server_requests": 40}


@pytest.mark.parametrize("kind", list(kinds()))
def test_a_short_attack_is_refused_or_answered(kind):
    tries = SHORT.get(kind, TRIES)
    tally = kinds()[kind](np.random.default_rng(7), tries)
    assert tally.found == []
    assert tally.failures == 0
    assert tally.tried == tally.refused + tally.answered >= tries


def test_the_worker_sees_every_kind_of_failure(monkeypatch):
    monkeypatch.setattr("attacks.worker.SECONDS", 2.0)
    assert SECONDS == 10.0
    cases = ["answer", "refuse", "crash", "die", "eat at once", "eat", "sleep", "answer"]
    tally = judged("test", cases, misbehave)
    counts = tally.refused, tally.answered, tally.crashed, tally.over_memory, tally.over_time
    assert (tally.tried, *counts) == (8, 1, 2, 2, 2, 1)
    assert len(tally.found) == tally.failures == 5


def test_the_page_keeps_rows_of_kinds_that_did_not_run(tmp_path):
    path = tmp_path / "attacks.md"
    page.write(path, [Tally("b", 1200, 1000, 200), Tally("c", 1, crashed=1)], 0)
    page.write(path, [Tally("a", 3, 3), Tally("c", 2, 2)], 4)
    rows = [line for line in path.read_text().splitlines() if line.startswith("| ")][2:]
    assert rows == [
        "| a | 3 | 3 | 0 | 0 | 0 | 0 | 4 |",
        "| b | 1,200 | 1,000 | 200 | 0 | 0 | 0 | 0 |",
        "| c | 2 | 2 | 0 | 0 | 0 | 0 | 4 |",
    ]


def test_the_page_in_the_docs_counts_its_own_rows(tmp_path):
    kept = Path(__file__).parents[2] / "docs" / "evidence" / "attacks.md"
    path = tmp_path / "attacks.md"
    path.write_text(kept.read_text(encoding="utf-8"), encoding="utf-8")
    page.write(path, [], 0)
    assert path.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")
