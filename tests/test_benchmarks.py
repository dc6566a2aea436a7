"""The benchmark's quick version, so that it does not rot; no timing is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.measuring.results import FOLDER
from benchmarks.online import stream
from benchmarks.pictures.__main__ import main as pictures
from benchmarks.promises import label_shift, presses
from benchmarks.twin import study

ROOT = Path(__file__).parents[1]
SECTIONS = ("shapes", "stages", "support", "latency", "growth")
PNG = b"\x89PNG\r\n\x1a\n"

pytestmark = pytest.mark.xdist_group("benchmarks")  # measured once, in one worker


def quick(folder: Path, *arguments: str) -> list[str]:
    return [*arguments, "--quick", "--results", str(folder / "results"), "--docs", str(folder / "docs")]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("benchmarks")
    waited = ["ready", "pipeline", "one core", "whole", "--quick", "--encoder", "handmade"]
    pictures([*waited, "--results", str(folder / "results" / "pictures.json")])
    command = [sys.executable, "-m", "benchmarks", *quick(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def tasks(folder: Path, section: str) -> dict[str, dict]:
    return json.loads((folder / "results" / f"{section}.json").read_text())["tasks"]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_task_has_a_result_or_the_reason_why_not(measured: Path, section: str) -> None:
    records = tasks(measured, section)
    assert records
    for name, record in records.items():
        assert record.get("result") or record.get("skipped"), name
    assert sum("result" in record for record in records.values()) >= 2


def test_answers_are_those_of_the_composition(measured: Path) -> None:
    compared = {
        name: record["result"] for name, record in tasks(measured, "shapes").items() if "thread" in name
    }
    assert {name.split(" | ")[1] for name in compared} == {"float32", "float64"}
    for name, result in compared.items():
        most = 1e-8 if "float64" in name else 1e-3
        for against in ("against_same_precision", "against_float64"):
            assert result[against]["agreement"] >= 0.999
            assert result[against]["difference"] <= most


def test_exact_batches_find_every_neighbour(measured: Path) -> None:
    exact = [
        record["result"] for name, record in tasks(measured, "growth").items() if name.startswith("exact |")
    ]
    assert exact
    assert all(result["recall_checked"] == result["recall_reported"] == 1 for result in exact)


def test_report_has_a_chapter_and_a_picture_for_every_section(measured: Path) -> None:
    page = (measured / "docs" / "benchmarks.md").read_text()
    assert "Not measured yet" not in page
    assert "quick version" in page
    for section in SECTIONS:
        assert f"(images/benchmark-{section}.png)" in page
        assert (measured / "docs" / "images" / f"benchmark-{section}.png").read_bytes().startswith(PNG)
    for private in (str(ROOT), str(Path.home()) + "/"):
        assert private not in page


def test_finished_section_is_not_run_again_and_a_lost_page_is_rewritten(
    measured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {section: (measured / "results" / f"{section}.json").read_bytes() for section in SECTIONS}
    page = measured / "docs" / "benchmarks.md"
    text = page.read_text()
    page.unlink()
    main(quick(measured, "shapes", "support"))
    said = capsys.readouterr().out
    assert said.count(": kept") == len(tasks(measured, "shapes")) + len(tasks(measured, "support"))
    assert before == {
        section: (measured / "results" / f"{section}.json").read_bytes() for section in SECTIONS
    }
    assert page.read_text() == text


def test_unknown_section_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(quick(tmp_path, "shape"))
    assert "no section shape; there are shapes, stages" in capsys.readouterr().err


def test_promises_are_measured_with_and_without_presses(tmp_path: Path) -> None:
    presses.main(["--quick", "--results", str(tmp_path / "results")])
    (task,) = tasks(tmp_path, "presses").values()
    assert task["result"]["told"]["accuracy"] == task["result"]["not told"]["accuracy"]
    assert task["result"]["told"]["false_alarms"] < task["result"]["not told"]["false_alarms"]


def test_priors_are_compared_on_the_digits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["label_shift", "--seeds", "0", "--sizes", "4", "--shots", "2"])
    monkeypatch.setattr(label_shift, "BATCHES", {4: 2})
    label_shift.main()
    assert "digits, 2 shots" in capsys.readouterr().out


def test_every_call_of_a_stream_is_timed(tmp_path: Path) -> None:
    stream.main(["--quick", "--results", str(tmp_path)])
    for task in json.loads((tmp_path / "online.json").read_text())["tasks"].values():
        assert {"predict_one", "revise", "learn_one", "revise after learn_one"} == set(
            task["result"]["calls"]
        )


def test_commands_and_decoding_beside_the_encoder_are_timed(measured: Path) -> None:
    record = json.loads((measured / "results" / "pictures.json").read_text())
    taken = {part: kept["results"] for part, kept in record.items()}
    assert set(taken["ready"]["handmade"]) == {"python", "import bideta", "predict", "rank"}
    assert set(taken["pipeline"]["handmade"]["seconds"]) == {"encoder", "decoding", "both"}
    assert set(taken["pipeline"]["handmade"]["peak_bytes"]) == {"2", "8"}
    assert taken["pipeline"]["handmade"]["ratio"] > 0
    assert taken["one core"]["handmade"]["milliseconds"] > 0
    assert all(one["peak_bytes"] > 0 for one in taken["whole"].values())


def test_the_page_begins_with_what_a_user_waits_for(measured: Path) -> None:
    page = (measured / "docs" / "benchmarks.md").read_text()
    assert page.index("## What a user waits for") < page.index("## The method against")
    assert "(images/benchmark-whole.png)" in page
    assert "Not measured here: networks, beside" in page
    assert "target" not in page.lower()


def test_our_commands_and_the_program_beside_them_give_the_same_labels(tmp_path: Path) -> None:
    results = tmp_path / "pictures.json"
    pictures(["beside", "--quick", "--encoder", "twin-tvl", "--count", "9", "--results", str(results)])
    (taken,) = json.loads(results.read_text())["beside"]["results"].values()
    assert taken["equal"] == 1
    assert taken["ratio"] > 0


def test_the_page_of_the_twin_study_follows_from_its_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "twin-study.md"
    monkeypatch.setattr(sys, "argv", ["twin", "--results", str(FOLDER), "--page", str(page)])
    study.main()
    assert page.read_text() == (ROOT / "docs" / "evidence" / "twin-study.md").read_text()
