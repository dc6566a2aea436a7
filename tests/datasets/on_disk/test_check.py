from __future__ import annotations

import shutil

import pytest
from PIL import Image

from bideta.datasets.on_disk.check import check
from bideta.images.reading import read_image
from bideta.plugins import load_dataset
from support import releases


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return releases.write("sitr", tmp_path_factory.mktemp("sitr") / "release")


@pytest.fixture
def home(root, tmp_path):
    return shutil.copytree(root, tmp_path / "copy") / "classification_dataset"


def problems(home, **settings):
    return check(load_dataset("sitr", root=home), reduced=True, **settings).problems


@pytest.mark.parametrize("name", ["sitr", "tacverse", "tacquad"])
def test_what_the_twin_writes_fits(root, tmp_path, name):
    tree = root if name == "sitr" else releases.write(name, tmp_path / name)
    report = check(load_dataset(name, root=tree), reduced=True)
    assert report.problems == []
    assert all(row.unreadable == 0 and row.sizes == ("16×16",) for row in report.rows)


def test_counts_are_compared_with_the_release(root):
    report = check(load_dataset("sitr", root=root), sample=1)
    assert "Hex train: 4 images in every class, expected 800" in report.problems
    assert len(report.problems) == len(report.rows) == 14


def test_broken_missing_and_misnamed_things_are_named(home):
    val = home / "val_set"
    (val / "sensor_0001/samples/class_0003/0000.png").write_bytes(b"broken")
    (val / "sensor_0002/samples/class_0005").rename(val / "sensor_0002/samples/clas_0005")
    (home / "train_set/sensor_0004/samples/class_0000/0003.png").unlink()
    (val / "sensor_0006").rename(val / "sensor_006")
    (val / "sensor_0000/calibration/0003.png").unlink()
    lines = "\n".join(problems(home))
    for expected in (
        "sensor_0001/samples/class_0003/0000.png",
        "val_set/sensor_0002/samples: class_0005 is missing; is 'clas_0005' meant?",
        "Hex test: class_0005 is missing",
        "Mini_2 train: class_0000 has 3 images, expected 4",
        "val_set: sensor_0006 is missing; is 'sensor_006' meant?",
        "Mini_4 test: no images at all",
        "val_set/sensor_0000/calibration: 18 images, expected 19",
    ):
        assert expected in lines


def test_sensors_swapped_between_the_splits_are_suspected(home):
    val = home / "val_set"
    (val / "sensor_0001").rename(val / "x")
    (val / "sensor_0003").rename(val / "sensor_0001")
    (val / "x").rename(val / "sensor_0003")
    assert "Wedge and DIGIT look swapped between train and test" in problems(home)


def test_exchanged_channels_are_suspected_in_one_class_and_in_a_split(home):
    folder = home / "train_set/sensor_0001/samples/class_0004"
    for path in [*folder.glob("*.png"), *(home / "val_set/sensor_0003/samples").rglob("*.png")]:
        Image.fromarray(read_image(path)[..., ::-1].copy()).save(path)
    lines = problems(home)
    assert "Wedge train class_0004: red and blue look exchanged (BGR for RGB?)" in lines
    assert "DIGIT: train and test look different in channel order (BGR for RGB?)" in lines
    assert len(lines) == 2


def test_a_copied_folder_is_named(home):
    samples = home / "train_set/sensor_0001/samples"
    shutil.rmtree(samples / "class_0004")
    shutil.copytree(samples / "class_0005", samples / "class_0004")
    (line,) = problems(home)
    assert line.startswith("4 pictures are the same in two folders")
    assert "class_0004/0000.png" in line
    assert "class_0005/0000.png" in line
