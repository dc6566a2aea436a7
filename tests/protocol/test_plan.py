from __future__ import annotations

import re

import pytest

from bideta.protocol.plan import Request, make_plan
from support.tiny_run import tiny_encoder, tiny_plan


def test_the_three_twins_take_the_papers_roles():
    plan = make_plan(["budgets"], Request(scale=0.1, difficulty="hard"))
    assert plan.scope.datasets == {role: f"simulated-{role}" for role in ("sitr", "tacverse", "tacquad")}
    assert plan.scope.encoders == ("twin-tvl", "twin-sparsh")
    assert plan.scale == 0.1
    assert plan.datasets["simulated-sitr"] == {"scale": 0.1, "difficulty": "hard"}


def test_a_single_twin_is_its_own_role():
    assert make_plan(["ranking"], Request("simulated-tacquad")).scope.datasets == {
        "tacquad": "simulated-tacquad"
    }


def test_another_dataset_takes_the_role_of_its_task(tmp_path):
    for sensor in ("old", "new"):
        for name in ("bolt", "key"):
            (tmp_path / sensor / name).mkdir(parents=True)
    from PIL import Image

    for place in tmp_path.glob("*/*"):
        Image.new("RGB", (8, 8)).save(place / "0.png")
    plan = make_plan(["budgets"], Request("folder", roots=(str(tmp_path),), encoders=("twin-tvl",)))
    assert plan.scope.datasets == {"sitr": "folder"}
    assert plan.datasets["folder"]["root"] == str(tmp_path)


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (Request("simulator"), "unknown dataset 'simulator'"),
        (Request("real"), "--dataset real needs --root DIR"),
        (
            Request("real", roots=("/nowhere",)),
            "no folder /nowhere/sitr; name the datasets",
        ),
        (Request("real", roots=("tacverse=/nowhere",)), "tacverse: no folder /nowhere"),
        (Request(roots=("/tmp",)), "simulated datasets need no folder"),
        (Request("real", roots=("/tmp",), scale=0.5), "belong to simulated datasets"),
        (Request(methods=("ldda",)), "unknown method 'ldda'. Did you mean 'lda'"),
        (Request(encoders=("twin",)), "unknown encoder 'twin'"),
        (Request(targets=("Mini_9",)), "--target is 'Mini_9', expected one of"),
        (Request(budgets=("3%",)), "--budget is '3%', expected one of"),
        (Request(settings={"tvl": {"weights": "x"}}), "--set is 'tvl', expected one of"),
        (Request(scale=2.0), "scale is 2.0"),
    ],
)
def test_what_cannot_be_run_is_refused_before_any_work(request_, text):
    with pytest.raises((ValueError, OSError), match=re.escape(text)):
        make_plan(["budgets"], request_)


def test_facts_name_settings_and_fingerprints(tmp_path):
    plan = tiny_plan(tmp_path)
    facts = plan.facts(plan.supply(None))
    assert facts["datasets"]["simulated-sitr"]["settings"] == {"scale": 0.02, "size": 16}
    (encoder,) = facts["encoders"].values()
    assert len(encoder["fingerprint"]) == 64
    assert list(facts["encoders"]) == [tiny_encoder(tmp_path)]
    assert facts["quick"] is False


def test_cells_of_several_experiments_are_listed_once(tmp_path):
    cells = tiny_plan(tmp_path, "budgets", "shots", "budgets").cells()
    assert len(cells) == len(set(cells))
    assert {cell.experiment for cell in cells} == {"budgets", "shots"}
