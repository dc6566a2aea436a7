"""The whole path from the command line: write a twin, check it, encode it, adapt, predict, evaluate."""

from __future__ import annotations

import csv
import json
import os
import subprocess

import pytest
from PIL import Image

from support.releases import WEIGHTS, tiny_onnx
from support.strict import STRICT

# Runs several commands in one fresh process in which torch cannot be imported; stops where one fails.
WALK = """
import json, sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, NoTorch())
from bideta.cli import main

for expected, arguments in json.loads(sys.argv[1]):
    print("$ bideta", *arguments)
    sys.argv = ["bideta", *arguments]
    try:
        main()
    except SystemExit as ended:
        assert (ended.code or 0) == expected, f"exit code {ended.code}, expected {expected}"
assert "matplotlib" not in sys.modules
"""


def walk(*steps):
    script = json.dumps([(code, [str(part) for part in arguments]) for code, arguments in steps])
    done = subprocess.run(
        [*STRICT, "-c", WALK, script],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def settings(tmp_path):
    """Of the embedded encoder: nothing where its weights are shipped, else a tiny stand-in for them."""
    if (WEIGHTS / "twin-tvl.onnx").exists():
        return []
    pytest.importorskip("onnx")
    return [f"weights={tiny_onnx(tmp_path / 'tiny.onnx')}"]


def test_from_a_release_to_labels(tmp_path, settings):
    root = tmp_path / "sitr"
    train, val = (
        root / f"classification_dataset/{part}/sensor_0001/samples" for part in ("train_set", "val_set")
    )
    sensor, labels, backgrounds = (tmp_path / name for name in ("wedge.bideta", "labels.csv", "b.png"))
    check = ["data", "check", "sitr", root, "--sample", 1]
    encode = ["data", "encode", "sitr", root, "--cache", tmp_path / "cache", "--sensor", "Wedge"]
    encode += ["--encoder", "twin-tvl"]
    out, err = walk(
        (0, ["sim", "write", "simulated-sitr", root, "--scale", 0.01, "--size", 32, "--difficulty", "easy"]),
        (1, check),
        (0, [*check, "--reduced", "--picture", backgrounds]),
        (0, [*encode, *(part for pair in settings for part in ("--encoder-set", pair))]),
        (
            0,
            [
                "adapt",
                train,
                "-o",
                sensor,
                "--encoder",
                "twin-tvl",
                *(part for pair in settings for part in ("--set", pair)),
            ],
        ),
        (0, ["predict", sensor, val, "-o", labels]),
        (0, ["evaluate", sensor, val]),
        (0, ["inspect", sensor]),
        (1, ["data", "check", "sitr", tmp_path / "cache"]),
    )
    assert "Hex train: 8 images in every class, expected 800" in out
    assert "everything fits" in out
    assert "background of sensor_0001 = Wedge?" in out  # nobody has settled which is which
    assert "question: is this the right order?" in out
    with Image.open(backgrounds) as picture:
        assert picture.width == 7 * 160
    assert "Wedge test: 32 images" in err
    with labels.open(newline="") as file:
        rows = list(csv.DictReader(file))
    correct = sum(row["path"].startswith(row["label"] + "/") for row in rows)
    assert len(rows) == 40
    assert f"accuracy  {correct / 40:.4f}" in out
    assert correct / 40 > 3 / 20  # three times chance, with whatever encoder
    assert "SITR not found in" in err
    assert "expected train_set/sensor_0000" in err
