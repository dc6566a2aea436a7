from __future__ import annotations

import pytest

from bideta.protocol.real.batches import NAMES
from bideta.protocol.real.cells import Request, make_cells
from bideta.protocol.real.methods import PRESETS
from bideta.protocol.real.run import run
from bideta.protocol.real.sets import find_sets
from bideta.protocol.records import read_records
from bideta.protocol.run_folder import missing
from bideta.report.real_page import write
from support.real_sets import write_everything


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    return find_sets(write_everything(tmp_path_factory.mktemp("real")))


def measure(request, sets, folder):
    cells, _ = missing(folder, make_cells(request, sets))
    run(cells, sets, folder, folder / "cache", lambda record: None)
    return {record.cell: record for record in read_records(folder)}


@pytest.fixture(scope="module")
def records(sets, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    return measure(Request(("twin-tvl",), ("robot", "lda"), (1, 2), 2), sets, folder), folder


def test_every_cell_has_a_record_with_the_leak_beside_it(records, sets):
    found, _ = records
    assert {record.status for record in found.values()} == {"ok"}
    for cell, record in found.items():
        if cell.target == "leak":
            assert record.values["chance"] == pytest.approx(1 / 3)
        else:
            assert 0 <= record.values["by_press"] <= 1
            assert ("leak" in record.values) == ("minus" not in cell.target and cell.dataset != "taps")
    leak = next(r for c, r in found.items() if (c.dataset, c.target) == ("objects", "leak"))
    assert leak.cell.variant == "untouched frames"
    assert leak.values["accuracy"] > leak.values["bound"]


def test_a_second_run_has_nothing_to_do(records, sets):
    found, folder = records
    cells, _ = missing(folder, list(found))
    assert cells == []


def test_the_page_is_made_of_the_records(records, tmp_path):
    found, _ = records
    pytest.importorskip("matplotlib")
    write(list(found.values()), tmp_path / "real.md")
    text = (tmp_path / "real.md").read_text()
    assert text.index("First the leak") < text.index("drift cannot flatter") < text.index("## Sources")
    assert "| mini-day1 | mini-b-day1 | twin-tvl |" in text
    for chart in ("leak", "labels", "pair"):
        assert (tmp_path / "images" / "real" / f"{chart}.png").is_file()
        assert f"images/real/{chart}.png" in text


def test_every_batch_is_answered(sets, tmp_path):
    request = Request(("twin-tvl",), ("robot", "em-lda"), (2,), 1, NAMES, ("mini-day2",), leak_free=True)
    found = measure(request, sets, tmp_path)
    status = {(c.variant, c.method): r.status for c, r in found.items() if c.target != "leak"}
    assert status["one at a time", "em-lda"] == "unavailable"
    assert status["m = 64", "robot"] == "unavailable"
    assert status["one at a time", "robot"] == status["Dirichlet 0.1", "em-lda"] == "ok"
    write(list(found.values()), tmp_path / "real.md")
    assert "Batches that are not balanced" in (tmp_path / "real.md").read_text()


def test_encoders_side_by_side(sets, tmp_path):
    request = Request(("twin-tvl+twin-sparsh",), ("robot", "tim"), (2,), 1, sets=("taps",))
    found = measure(request, sets, tmp_path)
    assert {record.status for record in found.values()} == {"ok"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"methods": ("nothing",)}, "unknown method 'nothing'"),
        ({"batches": ("nothing",)}, "unknown batch 'nothing'"),
        ({"labels": (0,)}, "at least 1"),
        ({"sets": ("nothing",)}, "unknown set 'nothing'"),
    ],
)
def test_what_is_unknown_is_refused(sets, wrong, message):
    with pytest.raises(ValueError, match=message):
        make_cells(Request(("twin-tvl",), **wrong), sets)


def test_presets_are_methods():
    assert {"robot", "classification"} <= set(PRESETS)
