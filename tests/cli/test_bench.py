"""``bideta bench`` from the command line: a tiny run on a twin, and the three releases in their own layouts."""

from __future__ import annotations

import shutil
import sys

import pytest

from bideta.cli import main
from bideta.protocol.records import FILE, read_log, read_records
from bideta.protocol.run_folder import owned
from support.releases import tiny_onnx, write

pytest.importorskip("onnx")
TWIN = ["--dataset", "simulated-sitr", "--scale", "0.02", "--set", "simulated-sitr.size=16", "--jobs", "1"]
CELLS = ["--method", "lda", "--method", "simpleshot", "--target", "Hex", "--seed", "0"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("bench")
    tiny_onnx(home / "tiny.onnx")
    return home


@pytest.fixture
def bideta(monkeypatch, capsys, home):
    def call(*arguments):
        words = ["bideta", "bench", *map(str, arguments), "--encoder", f"onnx:{home / 'tiny.onnx'}"]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return ended.value.code or 0, shown.out, shown.err

    return call


@pytest.fixture(scope="module")
def done(home):
    """A finished run, for the tests that come to it later."""
    out = home / "done"
    sys_argv, sys.argv = sys.argv, ["bideta", "bench", "budgets", *TWIN, *CELLS, "--out", str(out)]
    sys.argv += ["--encoder", f"onnx:{home / 'tiny.onnx'}"]
    with pytest.raises(SystemExit) as ended:
        main()
    sys.argv = sys_argv
    assert not ended.value.code
    return out


def test_one_record_for_every_cell(done):
    records = read_records(done)
    assert len(records) == 6
    assert {record.status for record in records} == {"ok"}
    assert all(record.simulated and record.scale == 0.02 for record in records)
    assert {record.cell.budget for record in records} == {"1%", "5%", "10%"}


def test_a_finished_run_has_nothing_to_do_and_more_methods_add_to_it(done, bideta, tmp_path):
    done = shutil.copytree(done, tmp_path / "more")  # the other tests find it as it was
    before = (done / FILE).read_bytes()
    code, _, told = bideta("budgets", *TWIN, *CELLS, "--out", done)
    assert code == 0
    assert "0 cells to do of 6" in told
    assert (done / FILE).read_bytes() == before
    code, _, told = bideta("budgets", *TWIN, *CELLS, "--method", "knn", "--budget", "1%", "--out", done)
    assert code == 0
    assert "1 cells to do of 3" in told
    assert (done / FILE).read_bytes().startswith(before)


def test_a_dry_run_counts_cells_by_experiment_names_them_where_asked_and_writes_nothing(home, bideta):
    named = f"budgets simulated-sitr onnx:{home / 'tiny.onnx'} Hex 5% lda seed 0"
    code, told, _ = bideta("paper", *TWIN, *CELLS, "--out", home / "dry", "--dry-run")
    assert code == 0
    assert named not in told
    rows = [line.split() for line in told.splitlines() if "simulated-sitr" in line]
    counts = {row[1]: int(row[5]) for row in rows}
    assert counts["budgets"] == 6
    last = f"{sum(counts.values())} cells to do of {sum(counts.values())}; about "
    assert told.splitlines()[-1].startswith(last)
    assert not (home / "dry").exists()
    code, told, _ = bideta("paper", *TWIN, *CELLS, "--dry-run", "--verbose")
    assert code == 0
    assert named in told.splitlines()
    assert told.splitlines()[-1].startswith(last)


def test_a_dry_run_counts_only_what_is_left_and_a_run_needs_a_folder(done, bideta):
    code, told, _ = bideta("budgets", *TWIN, *CELLS, "--out", done, "--dry-run")
    assert code == 0
    assert told.startswith("0 cells to do of 6; ")
    code, _, told = bideta("budgets", *TWIN, *CELLS)
    assert code == 2
    assert told.startswith("error: no --out: ")


def test_the_second_run_on_a_folder_says_who_has_it(done, bideta):
    with owned(done):
        code, _, told = bideta("budgets", *TWIN, *CELLS, "--out", done)
    assert code == 2
    assert "is in use by another run (process " in told


def test_other_scales_difficulties_and_weights_are_refused(done, bideta):
    for arguments, text in (
        (["--difficulty", "hard"], "dataset simulated-sitr"),
        (["--scale", "0.03"], "scale"),
        (["--quick"], "quick"),
    ):
        code, _, told = bideta("budgets", *TWIN, *CELLS, *arguments, "--out", done)
        assert code == 2
        assert "they must not meet in one table" in told
        assert text in told


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["budget"], "Did you mean 'budgets'?"),
        (["budgets", "--engine", "cloud"], "expected local or ray"),
        (["budgets", "--set", "weights=x"], "expected plugin.name=value"),
        (["ranking", "--dataset", "simulated-sitr"], "no cell is left"),
    ],
)
def test_bad_options_end_with_one_line(home, bideta, arguments, text):
    code, _, told = bideta(*arguments, "--out", home / "never")
    assert code == 2
    assert text in told
    assert not (home / "never").exists()


@pytest.fixture(scope="module")
def releases(home):
    """SITR, TacVerse and TacQuad in their own layouts; SITR has eight training frames per class, enough for 1 %."""
    for name, scale in (("sitr", 0.01), ("tacverse", 0.01), ("tacquad", 0.04)):
        write(name, home / "releases" / name, scale=scale)
    return home / "releases"


def test_the_same_command_runs_on_the_three_releases(releases, home, bideta):
    out = home / "real"
    chosen = [
        "--method",
        "frozen",
        "--method",
        "bideta",
        "--method",
        "sitr-calib",
        "--seed",
        "0",
        "--jobs",
        "2",
    ]
    sensors = [word for name in ("Hex", "Mini_3", "TacTip", "DuraGel") for word in ("--target", name)]
    budgets = [word for name in ("0%", "1%", "5%", "10%", "2-shot") for word in ("--budget", name)]
    code, _, told = bideta(
        "paper", "--dataset", "real", "--root", releases, "--quick", *chosen, *sensors, *budgets, "--out", out
    )
    records = read_log(out / FILE).records.values()
    assert code == 1  # a reduced copy has too few frames for 5 and 10 % of SITR and TacVerse
    assert "cells failed (" in told
    failed = {(r.cell.dataset, r.cell.budget) for r in records if r.status == "failed"}
    assert failed <= {("sitr", "5%"), ("sitr", "10%"), ("tacverse", "5%"), ("tacverse", "10%")}
    assert all("labelled ones were asked for" in r.error for r in records if r.status == "failed")
    good = [record for record in records if record.status == "ok"]
    assert {record.cell.experiment for record in good} == {
        "motivation", "budgets", "ranking", "shots", "ablation", "sensitivity-sitr", "sensitivity-tacquad", "cost"
    }  # fmt: skip
    assert {record.cell.dataset for record in good} == {"sitr", "tacverse", "tacquad"}
    assert not any(record.simulated for record in records)
    missing = {r.cell.dataset for r in records if r.status == "unavailable"}
    assert missing == {"tacverse", "tacquad"}  # no calibration images
    calibrated = [r for r in good if r.cell.method == "sitr-calib"]
    assert {record.cell.dataset for record in calibrated} == {"sitr"}


def test_a_guessed_map_of_sensors_is_said_aloud_where_it_matters(releases, home, bideta):
    real = ["--dataset", "real", "--root", releases, "--dry-run"]
    settled = "sitr.sensors=Mini_1,Wedge,Hex,DIGIT,Mini_2,Mini_3,Mini_4"
    assert "ASSUMED: SITR does not say" in bideta("budgets", *real)[2]
    assert "ASSUMED" not in bideta("budgets", *real, "--set", settled)[2]
    assert "ASSUMED" not in bideta("ranking", *real)[2]  # TacQuad only


def test_a_single_release_is_named(releases, home, bideta):
    code, told, _ = bideta(
        "paper",
        "--dataset",
        "real",
        "--root",
        f"tacquad={releases / 'tacquad'}",
        "--dry-run",
        "--out",
        home / "one",
    )
    assert code == 0
    assert "tacquad" in told
    assert "tacverse" not in told
