"""What predict, suggest and capture write beside CSV: JSON lines, Parquet, LeRobot datasets, labelling tools."""

from __future__ import annotations

import json
import os
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image

from bideta.readers import open_contacts
from support import formats
from support.coloured_folders import table


@pytest.fixture
def sensor(bideta, tmp_path):
    formats.write_folder(tmp_path / "support", formats.presses(0))
    path = tmp_path / "s.bideta"
    code, said = bideta("adapt", tmp_path / "support", "-o", path, "--encoder", "handmade")
    assert code == 0, said
    return path


def test_the_ending_chooses_the_format_and_the_values_are_the_same(bideta, sensor, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    queries = formats.write_folder(tmp_path / "q", formats.presses(1))
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        code, said = bideta("predict", sensor, queries, "-o", tmp_path / name)
        assert code == 0, said
    rows = table(tmp_path / "t.csv")
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    columns = parquet.read_table(tmp_path / "t.parquet").to_pylist()
    assert lines == columns
    assert [{name: line[name] for name in ("path", "label", "second_choice")} for line in lines] == [
        {name: row[name] for name in ("path", "label", "second_choice")} for row in rows
    ]
    assert [line["probability"] for line in lines] == [float(row["probability"]) for row in rows]


@pytest.mark.parametrize("command", ["predict", "rank"])
@pytest.mark.parametrize("name", ["t.xlsx", "t.CSV.gz", "t.txt"])
def test_an_ending_of_another_format_is_refused_before_any_work(bideta, sensor, tmp_path, command, name):
    code, said = bideta(command, sensor, tmp_path / "nowhere", "-o", tmp_path / name)
    assert code == 2
    assert f"the ending {(tmp_path / name).suffix} is of another format" in said
    assert "expected .csv, .jsonl, .parquet" in said
    code, said = bideta("suggest", tmp_path / "nowhere", "--csv", tmp_path / name)
    assert code == 2
    assert "of another format" in said


def test_a_table_without_an_ending_is_csv_and_a_pipe_may_have_any_name(bideta, sensor, tmp_path):
    queries = formats.write_folder(tmp_path / "q", formats.presses(1))
    for name in ("t.csv", "T", "t.CSV"):
        code, said = bideta("predict", sensor, queries, "-o", tmp_path / name)
        assert code == 0, said
    assert (
        (tmp_path / "T").read_bytes()
        == (tmp_path / "t.CSV").read_bytes()
        == (tmp_path / "t.csv").read_bytes()
    )
    (tmp_path / "null.dev").symlink_to(os.devnull)
    code, said = bideta("predict", sensor, queries, "-o", tmp_path / "null.dev")
    assert code == 0, said


def test_a_picture_of_another_format_is_refused_before_any_work(bideta, sensor, tmp_path):
    nowhere = tmp_path / "nowhere"
    for words in (
        ("evaluate", sensor, nowhere, "--picture", tmp_path / "p.xlsx"),
        ("inspect", nowhere, "--picture", tmp_path / "p.xlsx"),
        ("inspect", nowhere, "--background-picture", tmp_path / "p.jpg"),
        ("data", "check", "folder", nowhere, "--picture", tmp_path / "p.jpg"),
        ("sim", "sheet", tmp_path / "p.jpg"),
    ):
        code, said = bideta(*words)
        assert code == 2, said
        assert "expected .png" in said or "a suffix such as .png" in said
    assert not list(tmp_path.glob("p.*"))


def test_a_missing_library_is_said_before_any_work(bideta, sensor, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, said = bideta("predict", sensor, tmp_path / "nowhere", "-o", tmp_path / "t.parquet")
    assert code == 2
    assert "pip install 'bideta[parquet]' (in a clone: '.[parquet]', after make demo -e '.[parquet]')" in said


@pytest.mark.parametrize("video", [False, True])
def test_answers_become_features_of_a_copied_dataset(bideta, sensor, tmp_path, video):
    parquet = pytest.importorskip("pyarrow.parquet")
    if video:
        pytest.importorskip("av")
    made = formats.presses(1)
    source = formats.write_lerobot(tmp_path, made, video=video)
    before = {file: file.read_bytes() for file in source.rglob("*") if file.is_file()}
    code, said = bideta("predict", sensor, source, "-o", tmp_path / "t.csv", "--lerobot", tmp_path / "copy")
    assert code == 0, said
    assert before == {file: file.read_bytes() for file in source.rglob("*") if file.is_file()}
    rows = table(tmp_path / "t.csv")
    assert len(rows) == 18
    told = []
    for file in sorted((tmp_path / "copy" / "data").rglob("*.parquet")):
        told += parquet.read_table(file).to_pylist()
    assert [frame["touch.label"] for frame in told] == [row["label"] for row in rows]
    assert np.allclose(
        [frame["touch.probability"] for frame in told], [float(row["probability"]) for row in rows]
    )
    info = json.loads((tmp_path / "copy/meta/info.json").read_text())
    assert info["features"]["touch.reliability"] == {"dtype": "float32", "shape": [1], "names": None}
    stats = json.loads((tmp_path / "copy/meta/stats.json").read_text())
    assert stats["touch.probability"]["count"] == [18.0]
    assert "touch.reliability" not in stats  # six presses are too few to say: NaN, which is no JSON
    copied = open_contacts(tmp_path / "copy", label="touch.label", frames=0)
    assert list(copied.labels) == [row["label"] for row in rows]
    assert np.array_equal(copied.pictures[7], np.concatenate([press.frames for press in made])[7])
    code, said = bideta("predict", sensor, source, "-o", tmp_path / "t.csv", "--lerobot", tmp_path / "copy")
    assert code == 2
    assert "exists and is not empty" in said
    code, said = bideta(
        "predict", sensor, tmp_path / "support", "-o", tmp_path / "t.csv", "--lerobot", tmp_path / "c"
    )
    assert code == 2
    assert "is none" in said


def test_captured_presses_become_episodes_of_a_growing_dataset(bideta, tmp_path):
    pytest.importorskip("pyarrow")
    for label in ("bolt", "nut", "bolt"):
        code, said = bideta(
            *("capture", tmp_path / "data", "--label", label, "--count", 4, "--per-press", 2),
            *("--source", "simulated", "--fps", 500, "--lerobot"),
        )
        assert code == 0, said
    contacts = open_contacts(tmp_path / "data", frames=0)
    assert len(contacts) == 12
    assert list(dict.fromkeys(contacts.labels)) == ["bolt", "nut"]
    assert contacts.pictures[0].shape == contacts.pictures[11].shape
    info = json.loads((tmp_path / "data/meta/info.json").read_text())
    assert info["total_frames"] == 12
    assert info["total_tasks"] == 2
    assert info["splits"] == {"train": f"0:{info['total_episodes']}"}


def test_doubtful_contacts_are_written_for_labelling_tools(bideta, sensor, tmp_path):
    queries = formats.write_folder(tmp_path / "q", formats.presses(1))
    studio, one = tmp_path / "tasks.json", tmp_path / "labels.json"
    code, said = bideta(
        *("suggest", queries, "--sensor", sensor, "--budget", 3, "--label-studio", studio, "--fiftyone", one)
    )
    assert code == 0, said
    tasks, labels = json.loads(studio.read_text()), json.loads(one.read_text())["labels"]
    assert len(tasks) == len(labels) == 3
    for task in tasks:
        # Label Studio's page asks its server, which joins this to the folder that it serves ("/" unless it is told)
        served = parse_qs(urlsplit(task["data"]["image"]).query)["d"][0]
        assert task["data"]["image"].startswith("/data/local-files/?d=")
        assert " " not in task["data"]["image"]
        assert f"/{served}" == task["data"]["path"]
        with Image.open(task["data"]["path"]) as picture:
            assert picture.size == formats.SIZE[::-1]
        (prediction,) = task["predictions"]
        (result,) = prediction["result"]
        assert result["value"]["choices"] == [labels[task["data"]["path"]]["label"]]
        assert prediction["score"] == labels[task["data"]["path"]]["confidence"]


def test_pictures_of_an_input_without_files_are_written_beside(bideta, tmp_path):
    queries = formats.write_npz(tmp_path, formats.presses(1))
    tasks = tmp_path / "tasks.json"
    code, said = bideta("suggest", queries, "--budget", 2, "--encoder", "handmade", "--label-studio", tasks)
    assert code == 0, said
    written = json.loads(tasks.read_text())
    assert len(written) == 2
    assert all("predictions" not in task for task in written)
    assert sorted(path.name for path in (tmp_path / "tasks-pictures").iterdir())[0].startswith("0001 press ")
