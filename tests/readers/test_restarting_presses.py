"""Press numbers that begin anew in every class, sensor or split: tables and arrays say what folders say."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from bideta import Bideta
from bideta.datasets.on_disk.target_table import read_targets
from bideta.readers import Contacts, open_contacts
from support import formats

INPUTS = {
    "manifest": (formats.write_manifest, ()),
    "npz": (formats.write_npz, ()),
    "hdf5": (formats.write_hdf5, ("h5py",)),
    "zarr": (formats.write_zarr, ("zarr",)),
}


def numbered_anew(made):
    """Arrays in which the first press of every class is press 1."""
    counts = [len(press.frames) for press in made]
    return {**ARRAYS(made), "press": np.repeat([press.number for press in made], counts)}


ARRAYS = formats.arrays


@pytest.fixture(autouse=True)
def anew(monkeypatch):
    monkeypatch.setattr(formats, "arrays", numbered_anew)


def write(name, root, made):
    writer, libraries = INPUTS[name]
    for library in libraries:
        pytest.importorskip(library)
    root.mkdir()
    place = writer(root, made)
    if name == "manifest":
        rows = rows_of(place)
        with place.open("w", newline="") as file:
            table = csv.DictWriter(file, ["path", "label", "press"], extrasaction="ignore")
            table.writeheader()
            table.writerows({**row, "press": row["press"].split()[-1]} for row in rows)
    return place


def rows_of(table):
    with table.open(newline="") as file:
        return list(csv.DictReader(file))


def answers(bideta, support, queries, home):
    """The sensor, what the commands said of presses, and the answers for frames and for presses."""

    def run(*arguments):
        code, said = bideta(*arguments)
        assert not code, said
        return said.splitlines()

    said = run("adapt", support, "-o", home / "s.bideta", "--encoder", "handmade")
    told = [next(line for line in said if "labelled images each" in line).partition(": ")[2]]
    told += [line for line in said if line.startswith("hidden in turn")]
    tables = []
    for by in ("frame", "press"):
        said = run("predict", home / "s.bideta", queries, "-o", home / f"{by}.csv", "--by", by)
        told += [line.partition(": ")[2] for line in said if line.endswith("labelled")]
        tables.append(rows_of(home / f"{by}.csv"))
    told += [line for line in run("evaluate", home / "s.bideta", queries) if "presses" in line]
    return Bideta.load(home / "s.bideta").sensor_, told, *tables


@pytest.fixture(scope="module")
def made():
    return formats.presses(0, each=5), formats.presses(1, each=3, frames=2)


@pytest.mark.parametrize("name", INPUTS)
def test_answers_reliabilities_and_counts_are_those_of_folders(name, made, bideta, tmp_path):
    support, queries = made
    folders = [formats.write_folder(tmp_path / part, of) for part, of in (("s", support), ("q", queries))]
    sensor, said, frames, presses = answers(bideta, *folders, tmp_path)
    assert said[0] == "3 classes, 15 labelled images each, 15 presses, encoder handmade"
    assert said[3] == "9 presses labelled"
    assert said[4].startswith("presses   9, accuracy")
    places = [write(name, tmp_path / f"{part}-table", of) for part, of in (("s", support), ("q", queries))]
    other, told, *tables = answers(bideta, *places, tmp_path)
    assert told == said
    assert np.array_equal(other.presses, sensor.presses)
    classes = dict(zip(map(str, other.classes), map(str, sensor.classes), strict=True))  # zarr has numbers
    for ours, theirs in zip(tables, (frames, presses), strict=True):
        for row, wanted in zip(ours, theirs, strict=True):
            assert classes[row["label"]] == wanted["label"]
            for column in ("probability", "reliability", "reliability_lower"):
                assert row[column] == wanted[column] != ""
    for row, wanted in zip(tables[1], presses, strict=True):
        label, _, press = row["path"].partition("/")
        # A table calls its presses as it likes; this manifest has numbers only.
        assert f"{classes[label]}/press {press.removeprefix('press ')}" == wanted["path"]


def contacts(**facts):
    return Contacts([f"row {row}" for row in range(6)], [None] * 6, **facts)


def test_a_press_is_of_one_class_sensor_and_split():
    presses = ["1", "1", "1", "2", "", ""]
    assert contacts(presses=presses).press_numbers.tolist() == [0, 0, 0, 1, 2, 3]
    assert contacts(presses=presses).press_names == ["1", "1", "1", "2", "row 4", "row 5"]
    for fact in ("labels", "sensors", "splits"):
        found = contacts(presses=presses, **{fact: ["a", "b", "a", "b", "a", "a"]})
        assert found.press_numbers.tolist() == [0, 1, 0, 2, 3, 4]
        assert found.press_names == ["a/1", "b/1", "a/1", "b/2", "row 4", "row 5"]
    both = contacts(presses=["1"] * 6, labels=[*"aabbcc"], sensors=["x"] * 3 + ["y"] * 3, splits=["all"] * 6)
    assert both.press_names == ["x/a/1", "x/a/1", "x/b/1", "y/b/1", "y/c/1", "y/c/1"]


def test_names_that_come_once_are_left_as_they_are():
    found = contacts(presses=["1", "1", "2", "2", "3", ""], labels=[*"aabbcc"])
    assert found.press_names == ["1", "1", "2", "2", "3", "row 5"]


def test_presses_of_a_table_of_quantities_begin_anew_in_every_class_and_split(tmp_path):
    rows = [("cup", "train", "1"), ("cup", "train", "1"), ("nut", "train", "1"), ("nut", "test", "1")]
    lines = [f"{i}.png,{label},{split},{press},0.5" for i, (label, split, press) in enumerate(rows)]
    (tmp_path / "t.csv").write_text(
        "\n".join(["path,label,split,press,depth_mm", *lines, "4.png,nut,test,,1"])
    )
    table = read_targets(tmp_path / "t.csv", tmp_path)
    assert table.presses[0] == table.presses[1]
    assert len(set(table.presses)) == 4
    learned = read_targets(tmp_path / "t.csv", tmp_path, "train")
    assert len(set(learned.presses)) == 2


def test_arrays_name_a_press_once_and_an_empty_text_is_no_press(tmp_path):
    press = ["cup/press 3", "cup/press 3", "7", "", ""]
    np.savez(tmp_path / "a.npz", X=np.zeros((5, 8, 8, 3), np.uint8), press=press)
    found = open_contacts(tmp_path / "a.npz")
    assert found.names[0] == "cup/press 3/row 000000"
    assert found.names[2:4] == ["press 7/row 000002", "row 000003"]
    assert found.press_numbers.tolist() == [0, 0, 1, 2, 3]
