from __future__ import annotations

import numpy as np
import pytest

from bideta import presets
from bideta.protocol.compute import compute_cell
from bideta.protocol.experiments.openset import calibration_error, diagram
from bideta.protocol.stamp import Stamp
from bideta.report.sections import openset as section
from support.tiny_run import tiny_plan


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    folder = tmp_path_factory.mktemp("openset")
    plan = tiny_plan(folder, "openset", seeds=(0,), targets=("Hex",), budgets=("5%",))
    supply = plan.supply(folder / "cache")
    return [compute_cell(cell, supply, Stamp(0.02, {}, "")) for cell in plan.cells()]


def test_every_question_is_answered(records):
    assert [(record.cell.variant, record.status, record.error) for record in records] == [
        (variant, "ok", "") for variant in ("answers", "unknown", "untouched")
    ]
    answers, unknown, untouched = (record.values for record in records)
    assert answers["covered 0.8"] <= answers["covered 0.9"] <= answers["covered 0.95"] <= 1
    assert answers["size 0.8"] <= answers["size 0.95"]
    assert answers["answered 0.02"] <= answers["answered 0.05"] <= answers["answered 0.1"]
    assert 0 <= answers["excess reliability"] <= answers["aurc reliability"]
    assert 0 <= unknown["auroc novelty batch"] <= 1
    assert 0 <= untouched["auroc touch"] <= 1
    assert records[0].settings["gamma"] == presets.CLASSIFICATION["gamma"]


def test_tables_and_picture_show_them(records, tmp_path):
    tables = section.tables(records)
    assert [table.name.split(":")[2] for table in tables] == ["ordering", "promises", "unknown", "untouched"]
    assert not any(table.incomplete for table in tables)
    assert all(table.simulated for table in tables)
    pytest.importorskip("matplotlib")
    (figure,) = section.figures(records, tmp_path)
    assert figure.path.stat().st_size > 5000
    assert section.tables([]) == section.figures([], tmp_path) == []


def test_a_score_that_is_right_as_often_as_it_says_has_no_calibration_error():
    score = np.repeat([0.25, 0.75], 400)
    right = np.tile([True, False, False, False], 100)
    right = np.concatenate([right, ~right])
    assert calibration_error(score, right) == pytest.approx(0)
    assert calibration_error(score, ~right) == pytest.approx(0.5)
    assert diagram(score, right) == [[0.25, 0.25, 400], [0.75, 0.75, 400]]
