from __future__ import annotations

import numpy as np
import pytest

from bideta.protocol.compute import compute_cell
from bideta.protocol.experiments import labelshift
from bideta.protocol.experiments.labelshift import BATCHES, PRIORS, RELIABILITY, RIVALS, SCENARIOS
from bideta.protocol.stamp import Stamp
from bideta.report.sections import labelshift as section
from support.tiny_run import tiny_plan

Y = np.repeat(np.arange(16), 200)


@pytest.mark.parametrize("m", BATCHES)
@pytest.mark.parametrize("name", SCENARIOS)
def test_batches_hold_no_contact_twice_and_at_most_m(name: str, m: int) -> None:
    rows = SCENARIOS[name](Y, m, np.random.default_rng(0))
    assert 1 <= len(rows) <= m
    assert len(np.unique(rows)) == len(rows)
    assert rows.min() >= 0
    assert rows.max() < len(Y)
    np.testing.assert_array_equal(rows, SCENARIOS[name](Y, m, np.random.default_rng(0)))


def test_scenarios_are_what_they_are_called() -> None:
    rng = np.random.default_rng(1)
    assert len(np.unique(Y[SCENARIOS["one class"](Y, 64, rng)])) == 1
    assert len(np.unique(Y[SCENARIOS["4 of 16"](Y, 256, rng)])) == 4
    np.testing.assert_array_equal(np.bincount(Y[SCENARIOS["balanced"](Y, 3200, rng)]), 200)
    burst = Y[SCENARIOS["bursts"](Y, 256, rng)]
    assert 256 / 60 < (np.diff(burst) != 0).sum() < 256 / 6  # about one change in twenty contacts
    frequencies = rng.dirichlet(np.full(16, 0.5))
    counts = np.bincount(Y[labelshift.follow(Y, frequencies, 400, rng)], minlength=16)
    assert np.abs(counts / counts.sum() - frequencies).max() < 0.1


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labelshift")
    plan = tiny_plan(folder, "labelshift", seeds=(0,), targets=("Hex",), quick=True, methods=())
    supply = plan.supply(folder / "cache")
    wanted = {RELIABILITY, *(f"one class | {prior}" for prior in PRIORS), "one class"}
    cells = [cell for cell in plan.cells() if cell.variant in wanted]
    assert len(cells) == 1 + len(PRIORS) + len(RIVALS)
    assert len(plan.cells()) == 1 + len(SCENARIOS) * (len(PRIORS) + len(RIVALS))
    return [compute_cell(cell, supply, Stamp(0.02, {}, "")) for cell in cells]


def test_every_cell_is_measured(records) -> None:
    assert [(record.status, record.error) for record in records] == [("ok", "")] * len(records)
    for record in records:
        if record.cell.variant == RELIABILITY:
            assert 0 <= record.values["ece joint"] <= 1
            assert sum(record.arrays["joint"][2]) > 0
        else:
            assert all(0 <= record.values[f"accuracy@{m}"] <= 1 for m in BATCHES)
            assert record.values["contacts@1"] == 1


def test_tables_and_pictures_show_them(records, tmp_path) -> None:
    shift, calibration = section.tables(records)
    rows = [row for row in shift.rows if row.startswith("one class")]
    assert len(rows) == len(PRIORS) + len(RIVALS)
    assert all(shift.entry(row, "m = 16").mean is not None for row in rows)
    assert not calibration.incomplete
    assert shift.simulated
    pytest.importorskip("matplotlib")
    for figure in section.figures(records, tmp_path):
        assert figure.path.stat().st_size > 5000
    assert section.tables([]) == section.figures([], tmp_path) == []
