"""A record is checked by measuring one of its cells again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bideta.protocol import measure_again, records
from bideta.protocol.engine import Engine
from bideta.protocol.execute import execute
from bideta.protocol.experiment import Cell
from bideta.protocol.measure_again import Given
from bideta.protocol.real.cells import Request, make_cells
from bideta.protocol.real.run import run as run_real
from bideta.protocol.real.sets import find_sets
from bideta.protocol.recheck import compare, pick, recheck
from bideta.protocol.records import Record
from bideta.protocol.stamp import Stamp, versions
from support.real_sets import write_set
from support.tiny_run import tiny_encoder, tiny_plan


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Records of a small simulated run, what its run.json says, and the encoder that is a file."""
    folder = tmp_path_factory.mktemp("tiny")
    plan = tiny_plan(folder, "budgets", targets=("Hex",))
    supply = plan.supply(folder / "cache")
    stamp = Stamp(plan.scale, versions(), "abc")
    execute(plan.cells(), supply, stamp, folder, Engine("local", 1), lambda record: None)
    return (
        records.read_records(folder),
        plan.facts(supply),
        Given(encoder=tiny_encoder(folder), cache=folder / "cache"),
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_an_honest_record_is_found_to_be_the_same(tiny, seed):
    found, facts, given = tiny
    assert recheck(pick(found, seed), facts, given).finding == "same"


def test_values_that_were_made_better_are_found(tiny):
    found, facts, given = tiny
    noted = pick(found, 0)
    better = replace(
        noted, values={**noted.values, "accuracy": noted.values["accuracy"] + 0.2}, digest="0" * 64
    )
    verdict = recheck(better, facts, given)
    assert verdict.finding == "different"
    assert verdict.differences[0].startswith("accuracy: ")


def test_a_small_lie_under_the_right_digest_is_found(tiny):
    noted = pick(tiny[0], 0)
    better = replace(noted, values={**noted.values, "accuracy": noted.values["accuracy"] + 0.004})
    assert compare(better, noted).finding == "different"
    assert compare(replace(better, digest="0" * 64), noted).finding == "close"


def test_other_contacts_are_told(tiny):
    noted = pick(tiny[0], 0)
    assert "the contacts are others" in compare(replace(noted, split="0" * 64), noted).differences[0]


def test_times_are_not_compared():
    noted = Record(Cell("budgets", "a", "b", "c", "d"), "ok", {"accuracy": 0.5, "fit_seconds": 1.0})
    assert compare(noted, replace(noted, values={"accuracy": 0.5, "fit_seconds": 9.0})).finding == "same"


def test_the_same_seed_draws_the_same_cell_and_seeds_reach_all_of_them(tiny):
    found = tiny[0]
    assert pick(found, 7) == pick(list(reversed(found)), 7)
    assert len({pick(found, seed).cell for seed in range(200)}) == len(found)


def test_cells_that_failed_or_only_time_something_are_not_drawn():
    cost = Record(Cell("cost", "simulated-sitr", "twin-tvl", "Hex", "lda"), "ok", {"adapt_seconds": 1.0})
    failed = Record(Cell("budgets", "simulated-sitr", "twin-tvl", "Hex", "lda"), "failed")
    stranger = Record(Cell("../budgets", "simulated-sitr", "twin-tvl", "Hex", "lda"), "ok")
    with pytest.raises(ValueError, match="no record is a measured cell"):
        pick([cost, failed, stranger], 0)


def test_a_record_does_not_decide_which_file_is_opened(tiny):
    found, facts, _ = tiny
    with pytest.raises(ValueError, match="name yours with --encoder"):
        recheck(pick(found, 0), facts, Given())


def test_other_weights_are_refused(tiny):
    found, facts, given = tiny
    (name,) = facts["encoders"]
    other = {**facts, "encoders": {name: {"settings": {}, "fingerprint": "0" * 64}}, "readings": {}}
    with pytest.raises(ValueError, match="here is not the record's"):
        recheck(pick(found, 0), other, given)
    with pytest.raises(ValueError, match="does not say which weights"):
        recheck(pick(found, 0), {**facts, "encoders": {}, "readings": {}}, given)


@pytest.mark.parametrize(
    "changes",
    [
        {"target": "Nowhere"}, {"budget": "7%"}, {"method": "nothing"}, {"variant": "odd"}, {"dataset": "nothing"},
    ],
)  # fmt: skip
def test_a_cell_that_the_experiment_does_not_ask_is_refused(tiny, changes):
    found, facts, given = tiny
    noted = pick(found, 0)
    with pytest.raises(ValueError, match=r"no cell|unknown|expected one of"):
        recheck(replace(noted, cell=replace(noted.cell, **changes)), facts, given)


def test_a_run_file_cannot_ask_for_huge_pictures_or_a_place(tiny):
    found, facts, given = tiny
    noted = pick(found, 0)
    (name,) = facts["datasets"]

    def asks(**settings):
        return {
            **facts,
            "datasets": {name: {"settings": {**facts["datasets"][name]["settings"], **settings}}},
        }

    with pytest.raises(ValueError, match="at most 256"):
        recheck(noted, asks(size=100_000), given)
    with pytest.raises(ValueError, match="scale is"):
        recheck(noted, asks(scale=1e9), given)
    plan = measure_again._plan(
        replace(noted.cell, encoder=given.encoder), noted, asks(cache="/anywhere", root="/anywhere"), given
    )
    assert set(plan.datasets[name]) <= {"scale", "size"}


def test_recordings_are_measured_where_the_checker_says_they_are(tmp_path):
    for seed in (1, 2):
        write_set(tmp_path / "sets", f"mini-day{seed}", seed=seed)
    sets = find_sets(tmp_path / "sets")
    (tmp_path / "run").mkdir()
    cells = make_cells(Request(("twin-tvl",), ("lda",), (1,), 1), sets)
    run_real(cells, sets, tmp_path / "run", tmp_path / "cache", lambda record: None)
    found = records.read_records(tmp_path / "run")
    from bideta import load_encoder

    facts = {"encoders": {"twin-tvl": {"fingerprint": load_encoder("twin-tvl").fingerprint}}}
    for noted in (found[0], next(record for record in found if record.cell.target == "leak")):
        with pytest.raises(ValueError, match="--root DIR"):
            recheck(noted, facts, Given())
        verdict = recheck(noted, facts, Given(root=(str(tmp_path / "sets"),), cache=tmp_path / "cache"))
        assert verdict.finding == "same"
