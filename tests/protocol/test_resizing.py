"""SITR's and TacVerse's pictures are resized by PIL, TacQuad's as torchvision does it, all in one run."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.plugins import find, load_encoder
from bideta.protocol.plan import Request, make_plan
from bideta.report.provenance import Run, lines
from support import releases

pytest.importorskip("torch")

UNTRAINED = {"random_weights": True, "threads": 1}


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    home = tmp_path_factory.mktemp("releases")
    settings = {"scale": 0.05, "size": 16}
    for name in ("tacverse", "tacquad"):
        releases.write(name, home / name, **settings)
    return tuple(f"{name}={home / name}" for name in ("tacverse", "tacquad"))


def plan_of(roots, **settings):
    request = Request("real", roots, encoders=("tvl",), settings={"tvl": {**UNTRAINED, **settings}})
    return make_plan(["budgets", "ranking"], request)


def test_one_run_resizes_each_dataset_as_the_paper_does(roots, tmp_path):
    plan = plan_of(roots)
    supply = plan.supply(tmp_path)
    for dataset, way in (("tacverse", "pil-bicubic"), ("tacquad", "torch-bilinear")):
        expected = load_encoder("tvl", resize=way, **UNTRAINED)
        assert supply.encoder(dataset, "tvl").fingerprint == expected.fingerprint  # features are keyed by it
    found = supply.contacts("tacquad", "tvl", "DuraGel", "test").readouts
    frames = supply.frames("tacquad", "DuraGel", "test")
    for readout, wanted in zip(found, expected.encode(frames.images), strict=True):
        np.testing.assert_array_equal(readout, wanted)
    facts = plan.facts(supply)
    assert facts["readings"]["tvl on tacquad"]["settings"]["resize"] == "torch-bilinear"
    page = dict(lines(Run(tmp_path, [], facts)))
    assert page["Pictures"] == "tacverse resized by pil-bicubic; tacquad resized by torch-bilinear"


def test_a_setting_of_the_user_holds_for_every_dataset(roots, tmp_path):
    supply = plan_of(roots, resize="pil-bilinear").supply(tmp_path)
    prints = {supply.encoder(dataset, "tvl").fingerprint for dataset in ("tacverse", "tacquad")}
    assert prints == {load_encoder("tvl", resize="pil-bilinear", **UNTRAINED).fingerprint}


def test_what_a_dataset_asks_for_is_what_encoders_know():
    from bideta.encoders.runners.preprocessing import Preprocessing

    for name in ("sitr", "tacverse", "tacquad"):
        assert Preprocessing(8, 8, resize=find("dataset", name).INFO.resize)
