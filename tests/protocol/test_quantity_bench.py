"""The bench of quantities and of slip: sets, rivals, cells, records, and the page made of them."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from PIL import Image
from sklearn.linear_model import RidgeCV

from bideta.protocol import records
from bideta.protocol.quantity_bench import cells as bench_cells
from bideta.protocol.quantity_bench import cost, rivals, slip
from bideta.protocol.quantity_bench.cells import COST, Request, quantity_cells, slip_cells
from bideta.protocol.quantity_bench.run import run
from bideta.protocol.quantity_bench.sets import TWIN, read_recorded, recorded, twin
from bideta.protocol.quantity_metrics import errors
from bideta.quantities.targets import Target
from bideta.report.quantities_page import write
from support.quantities import contacts


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A recorded set ``tips/left`` of forty pictures with a depth."""
    folder = tmp_path_factory.mktemp("sets") / "tips" / "left"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    rows = [("path", "split", "depth_mm")]
    for i in range(40):
        depth = rng.uniform(0, 2)
        pixels = np.full((24, 24, 3), 60 + 60 * depth) + rng.normal(0, 4, (24, 24, 3))
        pixels[6:18, 6 : 8 + int(6 * depth)] += 60
        Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(folder / f"{i}.png")
        rows.append((f"{i}.png", "train" if i < 25 else "test", f"{depth:.3f}"))
    with (folder / "targets.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return folder.parent


def test_recorded_sets_keep_the_split_of_their_table(root) -> None:
    assert list(recorded(root)) == ["tips/left"]
    one = read_recorded("tips/left", root / "left")
    assert (one.dataset, one.sensor, one.columns, one.simulated) == ("tips", "left", ("depth_mm",), False)
    assert (len(one.pool), len(one.queries)) == (25, 15)


def test_a_folder_without_tables_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"no folder with targets\.csv"):
        recorded(tmp_path)
    with pytest.raises(FileNotFoundError, match="no folder"):
        recorded(tmp_path / "nowhere")


def test_a_twin_knows_its_truth_and_is_the_same_every_time() -> None:
    one, again = twin("DIGIT", quick=True), twin("DIGIT", quick=True)
    assert one.columns == ("depth_mm", "tilt_x_deg", "tilt_y_deg", "x_mm", "y_mm", "force_z_N")
    np.testing.assert_array_equal(one.values, again.values)
    np.testing.assert_array_equal(one.frames.images, again.frames.images)
    assert not set(one.pool) & set(one.queries)


@pytest.mark.parametrize("method", rivals.RIVALS)
def test_every_rival_learns_something_at_few_and_many_labels(method) -> None:
    for n, worst in ((5, 1.3), (25, 0.8)):
        c = contacts(n=n, m=40)
        truth = c.truth[:, :1]
        answers = rivals.answer(method, c.support, c.values[:, :1], c.queries)
        assert answers.shape == truth.shape
        assert np.abs(answers - truth).mean() < worst * np.abs(truth - truth.mean()).mean()


def test_contacts_in_the_space_of_the_labelled_ones_give_the_same_ridge() -> None:
    c = contacts(n=6, m=20)
    X, Q = rivals.scaled(c.support, c.queries)
    y = c.values[:, 0]
    whole = RidgeCV([0.1, 1.0]).fit(X, y).predict(Q)
    inner, queries = rivals.spanned(X, Q)
    np.testing.assert_allclose(RidgeCV([0.1, 1.0]).fit(inner, y).predict(queries), whole, atol=1e-10)
    ours = np.square(queries[:, None] - inner).sum(axis=2)
    np.testing.assert_allclose(ours, np.square(Q[:, None] - X).sum(axis=2), atol=1e-9)


def test_errors_are_those_of_the_textbook_and_angles_go_round() -> None:
    truth, value = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.5, 1.0, 2.0, 2.0])
    found = errors(value, truth, Target("depth", "mm"))
    assert found["mae"] == 0.375
    assert found["rmse"] == pytest.approx(np.sqrt(1.25 / 4))
    assert found["r2"] == pytest.approx(1 - 1.25 / 5)
    assert found["normalised"] == 0.375
    around = errors(np.array([359.0, 2.0]), np.array([1.0, 358.0]), Target("turn", "deg", 360.0))
    assert around["mae"] == 3
    assert errors(truth * 0 + 1, truth * 0 + 1, Target("flat"))["r2"] == 1


def test_slip_pairs_are_of_different_presses() -> None:
    pairs = slip.SlipSet("DIGIT", quick=True)
    assert len(set(pairs.presses.tolist())) == len(pairs.presses)
    assert not set(pairs.pool) & set(pairs.queries)
    assert np.bincount(pairs.labels[pairs.queries]).min() >= 5
    assert (pairs.now != pairs.then).any()


def test_cells_are_what_was_asked_for(root) -> None:
    quick = Request(root, ("handmade",), quick=True)
    cells = quantity_cells(quick)
    assert {cell.target for cell in cells if cell.dataset == "tips"} == {"left"}
    assert len({cell.target for cell in cells if cell.dataset == TWIN}) == bench_cells.QUICK_TWINS
    assert sum(cell.experiment == COST for cell in cells) == 1
    assert {cell.variant for cell in slip_cells(quick)} == set(slip.INPUTS)
    with pytest.raises(ValueError, match="unknown sensor 'nobody'"):
        quantity_cells(Request(root, ("handmade",), sensors=("nobody",)))
    with pytest.raises(ValueError, match="unknown method 'magic'"):
        Request(root, ("handmade",), methods=("magic",))


def test_records_become_a_page_with_charts(root, tmp_path, monkeypatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(cost, "SIZES", ((10, 5, 2),))
    request = Request(root, ("handmade",), labels=(12,), draws=2, quick=True)
    cells = [c for c in quantity_cells(request) if c.target in ("left", "DIGIT", "")]
    cells += [c for c in slip_cells(Request(None, (), labels=(5,), draws=1, quick=True)) if c.method == "lda"]
    found = []
    run(cells, request, tmp_path, tmp_path / "cache", found.append)
    assert [record.error for record in found if record.status != "ok"] == []
    ours = next(
        r for r in found if r.cell.method == "bideta" and r.cell.target == "left" and r.cell.budget == "12"
    )
    assert ours.values["depth_mm covered 0.9"] <= 1
    assert ours.values["normalised"] < 0.8
    write(records.read_records(tmp_path), tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    for words in (
        "## On real sensors",
        "## On simulated sensors",
        "## Slip, simulated",
        "## Cost",
        "depth (mm)",
    ):
        assert words in text
    for name in ("errors-real", "scatter-real", "errors-simulated", "scatter-simulated"):
        assert (tmp_path / "images" / "quantities" / f"{name}.png").is_file()
