"""Pictures exist, are pictures, and show something; they are looked at by people, not by tests."""

import numpy as np
import pytest
from PIL import Image

from bideta.report import sections
from bideta.report.figures import Figure
from bideta.report.figures.annotate import spread
from bideta.report.figures.gains import gains
from bideta.report.grids import grids
from bideta.report.run_data import RunData
from support import synthetic_records as synthetic

DRAWN = {
    "motivation": {"motivation.png"},
    "budgets": {"gains.png", "gains-all.png", "confusion.png"},
    "shots": {"shots.png"},
    "ablation": {"ablation.png"},
    "sensitivity-sitr": {"sensitivity-sitr.png"},
    "sensitivity-tacquad": {"sensitivity-tacquad.png"},
    "cost": {"cost.png"},
}
LARGEST = 150_000  # bytes


@pytest.mark.parametrize("name", DRAWN)
def test_a_section_draws_its_pictures(tmp_path, name):
    records = sections.records_for(name, synthetic.run(extra=["lda"], seeds=(0, 1)))
    figures = sections.find(name).figures(records, tmp_path)
    assert {figure.path.name for figure in figures} == DRAWN[name]
    for figure in figures:
        assert isinstance(figure, Figure)
        assert figure.caption.endswith(".")
        check(figure.path)


@pytest.mark.parametrize("name", [*DRAWN, "ranking"])
def test_nothing_recorded_draws_nothing(tmp_path, name):
    assert sections.find(name).figures([], tmp_path) == []


def test_a_part_of_a_run_can_be_drawn(tmp_path):
    everything = synthetic.run(extra=["lda"], seeds=(0, 1))
    for name in ("motivation", "budgets", "cost"):  # those that set two sides beside each other
        own = [r for r in sections.records_for(name, everything) if r.cell.encoder == "twin-tvl"]
        part = [r for r in own[::3] if r.cell.seed == 0 or r.cell.method == "bideta"]
        for figure in sections.find(name).figures(part, tmp_path):
            check(figure.path)


def test_contacts_and_the_method_are_drawn_from_the_twin(tmp_path):
    records = [
        record
        for record in synthetic.run(experiments=["motivation"])
        if record.cell.dataset == "simulated-sitr" and record.cell.target in ("DIGIT", "Hex")
    ]
    figures = sections.find("motivation").pictures(records, tmp_path, RunData())
    assert [figure.path.name for figure in figures] == ["contacts-sitr.jpg", "method.png"]
    for figure in figures:
        check(figure.path)


def test_gain_is_the_distance_to_the_strongest_comparison():
    records = synthetic.run(experiments=["budgets"])
    grid = grids(records)[0]
    paper = {(name, "") for name in ("simpleshot", "laplacianshot")}
    gain = gains(grid, "twin-tvl", paper)
    assert gain.shape == (6, 3)
    means = {
        method: np.mean(
            [
                r.values["accuracy"]
                for r in grid.select("twin-tvl", method, "", "5%")
                if r.cell.target == "Hex"
            ]
        )
        for method in ("bideta", "simpleshot", "laplacianshot")
    }
    expected = 100 * (means["bideta"] - max(means["simpleshot"], means["laplacianshot"]))
    assert gain[list(grid.sensors).index("Hex"), 1] == pytest.approx(expected)


def test_a_gain_without_all_seeds_is_not_shown():
    records = [
        r
        for r in synthetic.run(experiments=["budgets"])
        if not (r.cell.method == "bideta" and r.cell.target == "Hex" and r.cell.seed == 2)
    ]
    grid = grids(records)[0]
    gain = gains(grid, "twin-tvl", {("simpleshot", "")})
    assert np.isnan(gain[list(grid.sensors).index("Hex")]).all()
    assert np.isfinite(gain).sum() == 15


def test_labels_keep_their_distance_and_stay_near():
    places = spread(np.array([1.0, 1.1, 1.2, 9.0]), 1.0, 0.0, 10.0)
    assert np.all(np.diff(places) >= 1.0 - 1e-9)
    np.testing.assert_allclose(places, [0.1, 1.1, 2.1, 9.0])


def check(path):
    picture = np.asarray(Image.open(path).convert("RGB"))
    assert min(picture.shape[:2]) > 200
    assert picture.std() > 10, "an empty picture"
    assert path.stat().st_size < LARGEST
