from __future__ import annotations

import csv
from collections import Counter
from importlib.resources import files

import pytest

from bideta import presets
from bideta.protocol import experiments
from bideta.protocol.experiment import Cell, Scope
from bideta.protocol.experiments import (
    GROUPS,
    expand,
    find,
    names,
    sensitivity_sitr,
    sensitivity_tacquad,
)
from bideta.protocol.experiments._methods import CLASSIFIERS, RANKERS, RIVALS, method_settings
from bideta.protocol.plan import Request, make_plan

PAPER = GROUPS["paper"]


@pytest.fixture(scope="module")
def scope() -> Scope:
    return make_plan(["paper"], Request()).scope


def cells(name: str, scope: Scope) -> list[Cell]:
    return find(name).cells(scope)


@pytest.mark.parametrize("name", names())
def test_an_experiment_is_found_by_its_name_and_lists_its_cells(name, scope):
    experiment = find(name)
    assert experiment.name == name
    found = cells(name, scope)
    assert len(set(found)) == len(found)
    assert {cell.experiment for cell in found} <= {name}
    assert found == cells(name, scope)


@pytest.mark.parametrize("name", names())
def test_an_experiment_cannot_be_changed(name):
    with pytest.raises((AttributeError, TypeError)):
        find(name).name = "other"


def test_names_groups_and_misspellings():
    assert set(PAPER) <= set(names())
    assert [experiment.name for experiment in expand(["shots", "paper"])] == [
        "shots",
        *(n for n in PAPER if n != "shots"),
    ]
    with pytest.raises(ValueError, match=r"unknown experiment 'budget'\. Did you mean 'budgets'"):
        find("budget")


def test_budgets_have_every_target_budget_and_seed_of_the_paper(scope):
    found = [cell for cell in cells("budgets", scope) if cell.method == "bideta"]
    per_dataset = Counter(cell.dataset for cell in found)
    assert per_dataset == {"simulated-sitr": 6 * 3 * 3 * 2, "simulated-tacverse": 5 * 3 * 3 * 2}
    assert {cell.method for cell in cells("budgets", scope)} == {*CLASSIFIERS, *RIVALS}
    frozen = [cell for cell in cells("budgets", scope) if cell.method == "frozen"]
    assert {cell.budget for cell in frozen} == {"0%"}


def test_shots_leave_out_the_development_sensor(scope):
    found = cells("shots", scope)
    assert len({cell.target for cell in found if cell.dataset == "simulated-sitr"}) == 5
    assert "Mini_3" not in {cell.target for cell in found}
    assert len({cell.target for cell in found if cell.dataset == "simulated-tacverse"}) == 5
    assert {cell.budget for cell in found} == {"0%", "2-shot", "5-shot", "10-shot"}


def test_ranking_is_about_tacquad_with_sitr_support(scope):
    found = cells("ranking", scope)
    assert {cell.dataset for cell in found} == {"simulated-tacquad"}
    assert {cell.method for cell in found} == {*RANKERS, *RIVALS}
    assert "sitr-calib" not in RANKERS


def test_the_ablation_has_the_papers_eleven_rows(scope):
    found = cells("ablation", scope)
    assert list(dict.fromkeys(cell.variant for cell in found)) == list(presets.ABLATIONS)
    assert len(found) == 11 * 6 * 3 * 3 * 2


def test_sensitivity_on_sitr_is_about_the_development_sensor_alone(scope):
    assert {(cell.target, cell.budget) for cell in cells("sensitivity-sitr", scope)} == {("Mini_3", "5%")}


def test_sensitivity_rows_are_the_published_ones():
    lines = files("bideta.report").joinpath("published.csv").read_text().splitlines()
    rows: dict[str, list[str]] = {}
    for entry in csv.DictReader(line for line in lines if not line.startswith("#")):
        rows.setdefault(entry["table"], [])
        if entry["row"] not in rows[entry["table"]]:
            rows[entry["table"]].append(entry["row"])
    for sweep in (*sensitivity_sitr.SWEEPS, *sensitivity_tacquad.SWEEPS):
        assert list(sweep.labels) == rows[sweep.table]


@pytest.mark.parametrize(
    ("sweeps", "preset"),
    [(sensitivity_sitr.SWEEPS, presets.CLASSIFICATION), (sensitivity_tacquad.SWEEPS, presets.RANKING)],
)
def test_every_table_contains_the_default(sweeps, preset):
    for sweep in sweeps:
        changes = [sweep.settings(label) for label in sweep.labels]
        assert any(all(preset[name] == value for name, value in change.items()) for change in changes)


def test_motivation_looks_at_the_source_too(scope):
    found = cells("motivation", scope)
    assert {cell.target for cell in found} >= {"DIGIT", "GelSightNoMarker", "Hex", "TacTip"}
    assert {cell.seed for cell in found} == {0}


def test_cost_is_timed_alone_with_the_largest_budget(scope):
    assert [name for name in PAPER if find(name).alone] == ["cost"]
    largest = {"simulated-sitr": "10%", "simulated-tacverse": "10%", "simulated-tacquad": "30%"}
    found = cells("cost", scope)
    assert {(cell.dataset, cell.target, cell.budget) for cell in found} == {
        (dataset, target, largest[dataset]) for dataset in largest for target in scope.infos[dataset].targets
    }


def test_cost_is_about_the_methods_of_the_papers_table_on_three_seeds(scope):
    found = cells("cost", scope)
    assert {cell.method for cell in found} == {*CLASSIFIERS, *RANKERS}
    assert {cell.seed for cell in found} == {0, 1, 2}


def test_a_quick_scope_keeps_the_development_sensor_and_two_seeds():
    quick = make_plan(["paper"], Request(quick=True)).scope
    found = cells("budgets", quick)
    assert {cell.target for cell in found if cell.dataset == "simulated-sitr"} == {"Mini_1", "Mini_3"}
    assert {cell.seed for cell in found} == {0, 1}
    assert method_settings("ctsrl-csm", "classification", 5, quick=True) == {"seed": 5, "epochs": 30}


def test_selections_narrow_every_experiment():
    chosen = make_plan(
        ["paper"],
        Request(methods=("lda",), targets=("Hex",), budgets=("1%",), seeds=(7,), encoders=("twin-tvl",)),
    )
    found = chosen.cells()
    assert found
    assert {(cell.method, cell.target, cell.budget, cell.seed) for cell in found} == {("lda", "Hex", "1%", 7)}
    assert {cell.experiment for cell in found} == {"budgets", "taps", "cost"}


def test_seeds_reach_the_methods_that_draw_at_random():
    drawn = {
        n for n in (*CLASSIFIERS, *RANKERS, *RIVALS) if "seed" in method_settings(n, "classification", 3)
    }
    assert drawn == {"sitr-calib", "sitr-support", "anytouch-match", "ctsrl-csm", "logistic"}
    assert method_settings("bideta", "ranking", 0) == presets.RANKING


def test_a_cell_is_a_key_and_has_a_name_for_people():
    cell = Cell("budgets", "a", "b", "c", "d", "e", "5%", 1)
    assert {cell: 1}[Cell("budgets", "a", "b", "c", "d", "e", "5%", 1)] == 1
    assert str(cell) == "budgets a b c 5% d e seed 1"
    assert experiments.GROUPS["deploy"][0] == "labelshift"


def test_taps_are_asked_of_their_own_twins_and_of_no_other(scope):
    found = cells("taps", scope)
    assert {cell.dataset for cell in found} == {"simulated-sitr-taps", "simulated-tacverse-taps"}
    assert {cell.method for cell in found} == {"simpleshot", "laplacianshot", "bideta", *RIVALS}
    others = [cell for name in PAPER if name != "taps" for cell in cells(name, scope)]
    assert not any(cell.dataset.endswith("-taps") for cell in others)
    assert "sitr-taps" not in make_plan(["budgets"], Request()).scope.datasets
