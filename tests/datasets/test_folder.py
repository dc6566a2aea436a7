from __future__ import annotations

import pytest
from PIL import Image

import bideta
from bideta.plugins import load_dataset


def fill(root, *paths, colour=(10, 20, 30)):
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (4, 4), colour).save(root / path)


def test_class_folders_are_one_sensor(tmp_path):
    fill(tmp_path, *(f"{name}/{i}.png" for name in ("nut", "bolt") for i in (2, 10, 1)))
    (tmp_path / "nut" / "notes.txt").write_text("not an image")
    dataset = load_dataset("folder", root=tmp_path)
    frames = dataset.frames("sensor", "all")
    assert dataset.info.classes == ("bolt", "nut")
    assert list(frames.ids) == [f"{name}/{i}.png" for name in ("bolt", "nut") for i in (1, 2, 10)]
    assert frames.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert frames.images[:2].shape == (2, 4, 4, 3)


def test_sensor_folders_share_their_classes(tmp_path):
    fill(tmp_path, "old/nut/1.png", "old/bolt/1.png", "new/nut/1.png", "new/bolt/1.PNG")
    dataset = load_dataset("folder", root=tmp_path, source="old")
    assert (dataset.info.source, dataset.info.targets) == ("old", ("new",))
    assert len(dataset.frames("new", "all")) == 2
    with pytest.raises(ValueError, match="unknown source sensor 'older'"):
        load_dataset("folder", root=tmp_path, source="older")


def test_the_last_frames_of_every_class_can_be_held_out(tmp_path):
    fill(tmp_path, *(f"{name}/{i}.png" for name in ("nut", "bolt") for i in range(5)))
    dataset = load_dataset("folder", root=tmp_path, test=0.4)
    assert dataset.info.splits == ("train", "test")
    assert list(dataset.frames("sensor", "test").ids) == [
        "bolt/3.png",
        "bolt/4.png",
        "nut/3.png",
        "nut/4.png",
    ]
    with pytest.raises(ValueError, match="leaves one of the splits empty"):
        load_dataset("folder", root=tmp_path, test=0.05)


def test_folders_called_presses_are_presses_and_are_never_cut_in_two(tmp_path):
    presses = [f"press {i}/{frame}.png" for i in (10, 2, 1) for frame in (1, 2)]
    fill(tmp_path, "bolt/0.png", *(f"{name}/{path}" for name in ("nut", "bolt") for path in presses))
    frames = load_dataset("folder", root=tmp_path).frames("sensor", "all")
    assert frames.labels.tolist() == [0] * 7 + [1] * 6
    assert frames.ids[:3] == ["bolt/0.png", "bolt/press 1/1.png", "bolt/press 1/2.png"]
    assert frames.presses.tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    held = load_dataset("folder", root=tmp_path, test=0.3).frames("sensor", "test")
    assert list(held.ids) == [f"{name}/press 10/{frame}.png" for name in ("bolt", "nut") for frame in (1, 2)]
    with pytest.raises(ValueError, match="sensor/bolt has 4 presses: 5% of them"):
        load_dataset("folder", root=tmp_path, test=0.05)
    with pytest.raises(ValueError, match="mixes class folders"):
        load_dataset("folder", root=tmp_path, presses=False)


def test_a_manifest_names_labels_sensors_and_splits(tmp_path):
    fill(tmp_path, "a.png", "b.png", "c.png", "d.png")
    table = tmp_path / "list.csv"
    table.write_text(
        "path,label,sensor,split\nd.png,nut,new,test\na.png,nut,new,train\nb.png,bolt,new,train\nc.png,bolt,new,test\n"
    )
    dataset = load_dataset("folder", root=tmp_path, manifest=table)
    assert dataset.info.splits == ("train", "test")
    assert list(dataset.frames("new", "train").ids) == ["b.png", "a.png"]
    table.write_text("path,label\na.png,nut\nb.png,bolt\n")
    frames = load_dataset("folder", root=tmp_path, manifest=table).frames("sensor", "all")
    assert (list(frames.ids), frames.labels.tolist()) == (["b.png", "a.png"], [0, 1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,label\na.png,nut\n", "has columns file, label; expected path,label"),
        ("path,label\na.png,\n", "line 2: path 'a.png' and label ''"),
        ("path,label\n", "lists no images"),
    ],
)
def test_a_manifest_that_does_not_fit_is_named(tmp_path, text, message):
    (tmp_path / "list.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        load_dataset("folder", root=tmp_path, manifest=tmp_path / "list.csv")


def test_folders_that_do_not_fit_are_explained(tmp_path):
    with pytest.raises(FileNotFoundError, match="one folder per class"):
        load_dataset("folder", root=tmp_path / "none")
    with pytest.raises(ValueError, match="has no folder with images"):
        load_dataset("folder", root=tmp_path)
    fill(tmp_path, "loose.png")
    with pytest.raises(ValueError, match="the images lie in the folder itself"):
        load_dataset("folder", root=tmp_path)
    fill(tmp_path, "nut/1.png", "old/nut/1.png")
    with pytest.raises(ValueError, match=r"mixes class folders \(nut\) and sensor folders \(old\)"):
        load_dataset("folder", root=tmp_path)


def test_a_folder_is_images_labels_and_presses_in_one_call(tmp_path):
    for label, press in (("key", "press 1"), ("key", "press 2"), ("nut", "press 1")):
        (tmp_path / label / press).mkdir(parents=True)
        for i in range(2):
            Image.new("RGB", (6, 4), (i, 9, 9)).save(tmp_path / label / press / f"{i}.png")
    images, labels, presses = bideta.load_folder(tmp_path)
    assert images[:].shape == (6, 4, 6, 3)
    assert labels.tolist() == ["key"] * 4 + ["nut"] * 2
    assert presses.tolist() == [0, 0, 1, 1, 2, 2]
    readouts = bideta.load_encoder("handmade").encode(images)
    assert set(bideta.Bideta().fit(readouts, labels, presses).predict(readouts)) <= {"key", "nut"}
    with pytest.raises(ValueError, match="holds sensor folders"):
        bideta.load_folder(tmp_path, presses=False)


def test_datasets_and_frames_print_a_summary(tmp_path):
    for label in ("bolt", "coin", "hexkey", "key", "nut"):
        (tmp_path / label).mkdir()
        Image.new("RGB", (6, 4)).save(tmp_path / label / "0.png")
    dataset = bideta.load_dataset("folder", root=tmp_path)
    classes = "5 classes (bolt, coin, hexkey, key, …)"
    assert repr(dataset) == f"<dataset folder: {classes}, 1 sensor (sensor), 1 split (all), 5 images>"
    assert repr(dataset.frames("sensor", "all")) == "<Frames: 5 images of 5 classes, 5 presses>"
    twin = repr(bideta.load_dataset("simulated-sitr"))
    assert twin.startswith("<dataset simulated-sitr: 16 classes (")
    assert twin.endswith(", 2 splits (train, test), simulated>")
