"""Every reader × adapt → predict: the same answers as the same frames in folders, to the bit."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from bideta import Bideta, load_dataset
from bideta.plugins import find, names
from bideta.readers import open_contacts, recognised
from support import formats

# Format → how it is written, what the reader is told, libraries that writing and reading need.
ALL = {"frames": 0}
WHOLE = {"frames": 0, "cut": "whole"}
INPUTS = {
    "manifest": ("manifest", formats.write_manifest, {}, ()),
    "npz": ("npz", formats.write_npz, {}, ()),
    "npz, compressed": ("npz", formats.write_packed_npz, {}, ()),
    "hdf5": ("hdf5", formats.write_hdf5, {}, ("h5py",)),
    "zarr": ("zarr", formats.write_zarr, {}, ("zarr",)),
    "videos": ("video", formats.write_videos, ALL, ("av",)),
    "sparsh": ("sparsh", formats.write_sparsh, ALL, ()),
    "touch": ("touch", formats.write_touch, WHOLE, ("h5py",)),
    "mcap": (
        "rosbag",
        formats.write_mcap,
        ALL | {"cut": "given", "label_topic": "/label"},
        ("mcap", "rosbags"),
    ),
    "rosbag2": ("rosbag", formats.write_bag, ALL | {"cut": "given", "label_topic": "/label"}, ("rosbags",)),
    "rosbag2, compressed": (
        "rosbag",
        formats.write_packed_bag,
        ALL | {"cut": "given", "label_topic": "/label"},
        ("rosbags", "zstandard"),
    ),
    "lerobot": ("lerobot", formats.write_lerobot, ALL, ("pyarrow",)),
    "lerobot, videos": ("lerobot", formats.write_lerobot_video, ALL | {"label": "object"}, ("pyarrow", "av")),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Support and queries as folders, and what they were drawn from."""
    home = tmp_path_factory.mktemp("folders")
    support, queries = formats.presses(0), formats.presses(1, each=3, frames=2)
    formats.write_folder(home / "support", support)
    formats.write_folder(home / "queries", queries)
    return home, support, queries


@pytest.fixture(scope="module")
def expected(folders, tmp_path_factory):
    """The sensor and the table that folders give."""
    home, *_ = folders
    return run(home / "support", home / "queries", {}, tmp_path_factory.mktemp("expected"))


def run(support, queries, settings, out, encoder="handmade"):
    import sys
    from unittest import mock

    from bideta.cli import main

    pairs = [word for name, value in settings.items() for word in ("--read", f"{name}={value}")]
    for command in (
        ["adapt", support, "-o", out / "s.bideta", "--encoder", encoder, *pairs],
        ["predict", out / "s.bideta", queries, "-o", out / "t.csv", *pairs],
    ):
        with (
            mock.patch.object(sys, "argv", ["bideta", *map(str, command)]),
            pytest.raises(SystemExit) as ended,
        ):
            main()
        assert not ended.value.code, command
    with (out / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return Bideta.load(out / "s.bideta"), rows


@pytest.mark.parametrize("name", INPUTS)
def test_answers_are_those_of_the_same_frames_in_folders(name, folders, expected, tmp_path):
    reader, write, settings, libraries = INPUTS[name]
    for library in libraries:
        pytest.importorskip(library)
    _, support, queries = folders
    places = []
    for part, made in (("support", support), ("queries", queries)):
        (tmp_path / part).mkdir()
        places.append(write(tmp_path / part, made))
        assert recognised(places[-1]) == reader
    adapted, rows = run(*places, settings, tmp_path)
    truth, expected_rows = expected
    sensor, other = adapted.sensor_, truth.sensor_
    for ours, theirs in zip(sensor.support, other.support, strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(sensor.presses, other.presses)
    assert sensor.origin["fingerprint"] == other.origin["fingerprint"]
    renamed = {
        str(a): str(b) for a, b in zip(adapted.classes_, truth.classes_, strict=True)
    }  # zarr has numbers
    assert len(rows) == len(expected_rows) == 18
    for row, wanted in zip(rows, expected_rows, strict=True):
        assert renamed[row["label"]] == wanted["label"]
        assert row["probability"] == wanted["probability"]
        assert row["reliability"] == wanted["reliability"]
    assert len({row["path"] for row in rows}) == len(rows)


@pytest.mark.parametrize("name", INPUTS)
def test_pictures_can_be_asked_for_in_any_order(name, tmp_path):
    _, write, settings, libraries = INPUTS[name]
    for library in libraries:
        pytest.importorskip(library)
    made = formats.presses(3)
    frames = np.concatenate([press.frames for press in made])
    contacts = open_contacts(write(tmp_path, made), **settings)
    assert len(contacts) == len(contacts.names) == len(frames)
    for row in (7, 2, 17, 0):
        assert np.array_equal(contacts.pictures[row], frames[row])
    assert np.array_equal(np.stack(list(contacts.pictures[4:9])), frames[4:9])
    assert len(set(contacts.press_numbers)) == len(made)


@pytest.mark.parametrize("name", INPUTS)
def test_load_dataset_takes_it_where_it_takes_a_folder(name, tmp_path):
    _, write, settings, libraries = INPUTS[name]
    for library in libraries:
        pytest.importorskip(library)
    dataset = load_dataset("folder", root=write(tmp_path, formats.presses(3)), **settings)
    frames = dataset.frames(dataset.sensors[0], dataset.info.splits[0])
    assert len(dataset.info.classes) == 3
    assert np.array_equal(frames.labels, np.repeat([0, 1, 2], 6))
    assert np.shape(frames.images[np.array([1, 5])]) == (2, *formats.SIZE, 3)


def test_every_reader_is_in_the_matrix():
    assert {reader for reader, *_ in INPUTS.values()} | {"folder"} == set(names("reader"))
    for name in names("reader"):
        info = find("reader", name).INFO
        assert info.name == name
        assert info.title
        assert info.reference


@pytest.mark.parametrize("name", ["rosbag2", "lerobot", "sparsh"])
def test_a_stream_may_be_opened_in_one_thread_and_left_in_another(name, tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    _, write, settings, libraries = INPUTS[name]
    for library in libraries:
        pytest.importorskip(library)
    made = formats.presses(3)
    frames = np.concatenate([press.frames for press in made])
    contacts = open_contacts(write(tmp_path, made), **settings)
    with ThreadPoolExecutor(1) as other:
        assert np.array_equal(other.submit(contacts.pictures.__getitem__, 4).result(), frames[4])
    assert np.array_equal(contacts.pictures[5], frames[5])
    assert np.array_equal(contacts.pictures[1], frames[1])  # lets go of the stream of the other thread


def test_reliability_is_that_of_the_same_frames_in_another_order(tmp_path):
    support, queries = formats.presses(0, each=5), formats.presses(1)  # enough presses for a number
    asked = formats.write_folder(tmp_path / "asked", queries)
    formats.write_folder(tmp_path / "support", support)
    mixed = [support[i] for i in np.random.default_rng(0).permutation(len(support))]
    places = tmp_path / "support", formats.write_npz(tmp_path, mixed)
    ours, theirs = (run(place, asked, {}, tmp_path)[1] for place in places)
    assert [row["label"] for row in ours] == [row["label"] for row in theirs]
    for name in ("probability", "reliability", "reliability_lower"):
        numbers = [[float(row[name]) for row in table] for table in (ours, theirs)]
        np.testing.assert_allclose(*numbers, atol=1e-4)
