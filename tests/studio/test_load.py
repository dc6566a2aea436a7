"""A few clients and every attack; the full table is ``make load``."""

from __future__ import annotations

import pytest
from benchmarks.load.clients import ATTACKS
from benchmarks.load.page import row
from benchmarks.load.rounds import run
from benchmarks.load.server import server


@pytest.mark.xdist_group("load")
def test_polite_clients_finish_among_hostile_ones_and_nothing_breaks():
    with server() as port:
        found = run(port, clients=6, uploads=9, hostile=0.5)
    assert found.finished == 6
    assert not found.unexpected
    assert not found.failures
    assert found.traces == 0
    assert set(found.hostile) == set(ATTACKS), "every kind of attack was drawn"
    assert (
        found.health[0] < 1.0
    )  # the figures are in docs/evidence/load.md; here, only that health was never blocked
    assert "| 6 | 6 of 6 |" in row(found)


@pytest.mark.xdist_group("load")
def test_a_full_queue_answers_429_with_a_time_to_come_back_and_everybody_finishes():
    with server("--slots", "1", "--queue", "2") as port:
        found = run(port, clients=12, uploads=6, hostile=0.0)
    assert found.finished == 12
    assert not found.unexpected
    assert found.statuses.get(429, 0) > 0
