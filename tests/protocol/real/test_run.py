from __future__ import annotations

import numpy as np
import pytest

from bideta.plugins import names
from bideta.protocol.real.batches import NAMES
from bideta.protocol.real.cells import DRAWS, TRAINED_DRAWS, Request, make_cells
from bideta.protocol.real.methods import PRESETS, SOURCE, adapt, answer_in_turn
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
    assert {pair for pair, found in status.items() if found != "ok"} == {
        ("m = 64", "robot"),
        ("m = 64", "em-lda"),
    }
    write(list(found.values()), tmp_path / "real.md")
    assert "Batches that are not balanced" in (tmp_path / "real.md").read_text()


def test_several_processes_measure_what_one_does(sets, records, tmp_path):
    found, _ = records
    cells = [cell for cell in found if cell.dataset == "objects"]
    run(cells, sets, tmp_path, tmp_path / "cache", lambda record: None, jobs=2)
    again = {record.cell: record for record in read_records(tmp_path)}
    assert {cell: record.values for cell, record in again.items()} == {c: found[c].values for c in cells}


def test_comparisons_with_a_source_meet_the_contacts_of_those_without(sets, tmp_path):
    asked = Request(("twin-tvl",), ("frozen", "tip-adapter", "lda"), (2,), 2, sets=("mini-b-day1",))
    found = measure(asked, sets, tmp_path)
    by_split = {(c.target, c.method, c.seed): r for c, r in found.items()}
    assert {record.status for record in found.values()} == {"ok"}
    assert ("early to late", "frozen", 0) not in by_split
    assert ("source mini-day1", "lda", 0) not in by_split
    assert by_split["early to late", "tip-adapter", 0].settings == {"mode": "cache"}
    for seed in (0, 1):
        known, unknown = (
            by_split["source mini-day1", "tip-adapter", seed],
            by_split["early to late", "lda", seed],
        )
        assert known.settings == {}
        for name in ("queries", "labelled"):
            assert known.values[name] == unknown.values[name]
    assert by_split["source mini-day1", "source", 0].values["labelled"] == 24


def test_one_at_a_time_is_what_a_batch_of_those_so_far_would_be(sets):
    readouts = tuple(np.random.default_rng(0).normal(size=(12, d)).astype(np.float32) for d in (4, 6))
    labels, presses = np.repeat([0, 1], 3), np.arange(6)
    queries = tuple(H[6:] for H in readouts)
    for name in ("touch", "em-lda", "lda"):
        adapted = adapt(name, tuple(H[:6] for H in readouts), labels, presses)
        said = answer_in_turn(name, adapted, queries)
        for i in (0, 3, 5):
            np.testing.assert_allclose(
                said[i], adapted.predict_proba(tuple(H[: i + 1] for H in queries))[-1], atol=1e-6
            )


def test_every_comparison_is_asked_and_the_trained_ones_in_a_few_draws(sets):
    plugins = set(names("method"))
    cells = make_cells(Request(("twin-tvl", "handmade")), sets)
    assert {cell.method for cell in cells} == {*PRESETS, SOURCE, *plugins - {"bideta", "sitr-calib"}}
    trained = [cell for cell in cells if cell.method == "ctsrl-csm"]
    assert {cell.encoder for cell in trained} == {"twin-tvl"}
    assert {cell.seed for cell in trained} == set(range(TRAINED_DRAWS))
    by_name = make_cells(Request(("twin-tvl",), ("ctsrl-csm",)), sets)
    assert {cell.seed for cell in by_name if cell.method == "ctsrl-csm"} == set(range(DRAWS))
    without = make_cells(Request(("twin-tvl",), without_torch=True), sets)
    assert not any(cell.method == "ctsrl-csm" for cell in without)


def test_alpha_tim_answers_in_turn_only_where_it_is_named(sets):
    for chosen, expected in (((), False), (("alpha-tim",), True)):
        cells = make_cells(Request(("twin-tvl",), chosen, batches=NAMES), sets)
        assert any((c.method, c.variant) == ("alpha-tim", "one at a time") for c in cells) == expected
        assert any((c.method, c.variant) == ("alpha-tim", "m = 16") for c in cells)


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
