"""The experiments ``tune`` and ``fewshot`` on a tiny twin, and what the report makes of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bideta.protocol.compute import compute_cell
from bideta.protocol.experiment import Cell
from bideta.protocol.experiments.fewshot import VARIANTS
from bideta.protocol.experiments.tune import PRESET, QUERIES, SUPPORT
from bideta.protocol.records import Record
from bideta.protocol.stamp import Stamp
from bideta.report.sections import fewshot, tune
from support.tiny_run import tiny_plan


def measured(folder, experiment, budgets):
    plan = tiny_plan(folder, experiment, seeds=(0,), targets=("Hex",))
    supply = plan.supply(folder / "cache")
    return [
        compute_cell(cell, supply, Stamp(0.02, {}, "")) for cell in plan.cells() if cell.budget in budgets
    ]


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    return measured(tmp_path_factory.mktemp("tune"), "tune", ("1%",))


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return measured(tmp_path_factory.mktemp("fewshot"), "fewshot", ("1-shot", "2-shot"))


def test_preset_and_both_ways_of_tuning_are_measured(tuned):
    assert [(record.cell.variant, record.status, record.error) for record in tuned] == [
        (variant, "ok", "") for variant in (PRESET, SUPPORT, QUERIES)
    ]
    assert all("seconds" in record.values for record in tuned[1:])
    assert all({"shrinkage", "gamma"} <= set(record.settings) for record in tuned[1:])


def test_every_method_and_variant_of_few_shots_is_measured(few):
    assert {(record.status, record.error) for record in few} == {("ok", "")}
    found = {(record.cell.method, record.cell.variant) for record in few}
    assert {("bideta", variant) for variant in VARIANTS} < found
    assert {"lda", "simpleshot"} < {method for method, _ in found}  # the methods of a tiny run


def test_tables_and_pictures_show_them(tuned, few, tmp_path):
    (table,) = fewshot.tables(few)
    assert list(table.columns) == ["1-shot", "2-shot"]
    assert all(table.entry(row, column).mean is not None for row in table.rows for column in table.columns)
    grid, verdict = tune.tables(tuned)
    assert grid.entry(tune.NAMES[SUPPORT], "1%").mean is not None
    assert verdict.entry(tune.NAMES[SUPPORT], "worst cell").mean is not None
    pytest.importorskip("matplotlib")
    for section, records in ((tune, tuned), (fewshot, few)):
        assert len(section.figures(records, tmp_path)) == 1
    assert (
        tune.tables([])
        == tune.figures([], tmp_path)
        == fewshot.tables([])
        == fewshot.figures([], tmp_path)
        == []
    )


def test_a_cell_is_compared_with_the_best_of_preset_lda_and_logistic_regression():
    """Seeds average before cells are compared: 80 and 84 against 83, 81.5 and (one seed only) 90."""
    own = Cell("tune", "simulated-sitr", "twin-tvl", "Hex", "bideta", SUPPORT, "1%")
    preset, budgets = replace(own, variant=PRESET), replace(own, experiment="budgets", variant="")
    rows = {
        own: (0.80, 0.84),
        preset: (0.83, 0.83),
        replace(budgets, method="lda"): (0.81, 0.82),
        replace(budgets, method="logistic"): (0.90,),
    }
    records = [
        Record(replace(cell, seed=seed), "ok", {"accuracy": value})
        for cell, values in rows.items()
        for seed, value in enumerate(values)
    ]
    (found,) = tune.differences(records, SUPPORT)
    assert found.preset == pytest.approx(-1.0)
    assert found.best == pytest.approx(-10.0)  # on the seed that logistic regression has
    (alone,) = tune.differences([r for r in records if r.cell.method != "logistic"], SUPPORT)
    assert alone.best is None
