"""Means and standard deviations against numbers computed by hand."""

import pytest

from bideta.protocol.experiment import Cell
from bideta.protocol.records import Record
from bideta.report.seed_average import summarize


def record(target, seed, accuracy=None, status="ok"):
    cell = Cell("budgets", "sitr", "tvl", target, "bideta", "", "5%", seed)
    return Record(cell, status, {} if accuracy is None else {"accuracy": accuracy})


# seed: Hex, Wedge → sensor average: 0.5, 0.6, 0.8; mean 0.6333, sample variance (0.1333² + 0.0333² + 0.1667²)/2
THREE = [
    record("Hex", 0, 0.4), record("Wedge", 0, 0.6),
    record("Hex", 1, 0.5), record("Wedge", 1, 0.7),
    record("Hex", 2, 0.7), record("Wedge", 2, 0.9),
]  # fmt: skip
BOTH = ["Hex", "Wedge"]


def test_sensors_are_averaged_first_and_seeds_give_the_spread():
    entry = summarize(THREE, "accuracy", sensors=BOTH, seeds=[0, 1, 2])
    assert entry.mean == pytest.approx(63.3333, abs=1e-3)
    assert entry.std == pytest.approx(15.2753, abs=1e-3)  # √((13.33² + 3.33² + 16.67²)/2)
    assert entry.text == "63.33 ± 15.28"
    assert entry.state == "value"


def test_one_sensor_alone_is_its_own_average():
    entry = summarize(THREE, "accuracy", sensors=["Hex"], seeds=[0, 1, 2])
    assert entry.text == "53.33 ± 15.28"


def test_a_seed_without_all_its_sensors_is_left_out_and_said():
    entry = summarize(THREE[:-1], "accuracy", sensors=BOTH, seeds=[0, 1, 2])
    assert (entry.state, entry.note) == ("incomplete", "2 of 3 seeds")
    assert entry.mean == pytest.approx(55)


def test_a_failed_cell_is_counted_in_the_note():
    entry = summarize(
        [*THREE[:-1], record("Wedge", 2, status="failed")], "accuracy", sensors=BOTH, seeds=[0, 1, 2]
    )
    assert entry.note == "2 of 3 seeds, 1 failed"


def test_nothing_complete_is_missing_not_averaged():
    entry = summarize(THREE[:1], "accuracy", sensors=BOTH, seeds=[0, 1, 2])
    assert (entry.mean, entry.state, entry.note) == (None, "missing", "0 of 3 seeds")
    assert summarize([], "accuracy", sensors=BOTH, seeds=[0]).note == "not run"


def test_one_seed_has_no_standard_deviation():
    entry = summarize(THREE[:2], "accuracy", sensors=BOTH, seeds=[0])
    assert (entry.mean, entry.std, entry.state) == (pytest.approx(50), None, "value")


def test_a_method_that_cannot_run_is_unavailable():
    records = [record(sensor, 0, status="unavailable") for sensor in BOTH]
    assert summarize(records, "accuracy", sensors=BOTH, seeds=[0]).state == "unavailable"


def test_a_value_that_was_not_recorded_is_missing():
    assert summarize(THREE, "mrr", sensors=BOTH, seeds=[0, 1, 2]).state == "missing"


def test_times_are_not_percent():
    entry = summarize(THREE, "accuracy", sensors=BOTH, seeds=[0, 1, 2], scale=1.0, digits=3, spread=False)
    assert entry.text == "0.633"


def test_where_nothing_varied_there_is_no_deviation():
    """The source head has no random part: ± 0.00 would promise that something was tried three times."""
    entry = summarize(
        [record("Hex", seed, 0.5) for seed in (0, 1, 2)], "accuracy", sensors=["Hex"], seeds=(0, 1, 2)
    )
    assert (entry.mean, entry.std, entry.state) == (50.0, None, "value")
