from __future__ import annotations

import numpy as np
import pytest

from bideta.protocol.compute import compute_cell
from bideta.protocol.episode import Contacts
from bideta.protocol.experiments import find
from bideta.protocol.experiments.label_choice import COUNTS, DRAWS, ROUND, STRATEGIES
from bideta.protocol.plan import Request, make_plan
from bideta.protocol.stamp import Stamp
from bideta.report.sections import label_choice as section
from support.sensor_shift import episode
from support.tiny_run import tiny_plan


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    plan = tiny_plan(folder, "labels", seeds=(0,), targets=("Hex",))
    supply = plan.supply(folder / "cache")
    return [compute_cell(cell, supply, Stamp(0.02, {}, "")) for cell in plan.cells()]


def test_accuracy_is_measured_at_every_count_that_the_pool_allows(records):
    assert [(record.cell.variant, record.status, record.error) for record in records] == [
        (strategy, "ok", "") for strategy in STRATEGIES
    ]
    counts = [count for count in COUNTS if count <= 256]  # of 16 classes, 16 contacts each
    for record in records:
        assert [name for name in record.values if name.startswith("accuracy")] == [
            f"accuracy {count}" for count in counts
        ]
        assert record.values[f"accuracy {counts[-1]}"] > record.values[f"accuracy {counts[0]}"]
    assert records[-1].values["classes 16"] == 16  # class by class


def test_ten_draws_are_made_unless_seeds_are_named():
    scope = make_plan(["labels"], Request()).scope
    assert {cell.seed for cell in find("labels").cells(scope)} == set(range(DRAWS))


@pytest.mark.parametrize("name", STRATEGIES)
def test_no_contact_is_labelled_twice(name):
    data = episode(seed=0, C=4, per_class=40)
    pool = Contacts(data.queries, data.truth, np.arange(160))
    rows = STRATEGIES[name](pool, np.random.default_rng(0))
    assert len(set(rows)) == len(rows) == 160
    if name == "random, balanced":
        assert np.bincount(data.truth[rows[:ROUND]]).tolist() == [4] * 4


def test_table_and_picture_show_them(records, tmp_path):
    whole = [record for record in records if "accuracy 320" in record.values]
    assert section.tables(whole) == []
    (table,) = section.tables(records)
    assert table.entry("random", "16").mean is not None
    assert table.simulated
    pytest.importorskip("matplotlib")
    assert len(section.figures(records, tmp_path)) == 1


def test_random_labels_needed_are_read_off_the_random_curve():
    means = [40, 50, 60, 70, 75, 80, 85, 88, 90.0]
    assert section.labels_needed(45, means) == 24
    assert section.labels_needed(30, means) == 16
    assert section.labels_needed(91, means) is None
