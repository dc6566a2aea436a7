"""``bideta adapt --tune`` on a folder of pictures."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from PIL import Image

from bideta import Bideta, presets
from bideta.cli import main
from support.releases import tiny_onnx

pytest.importorskip("onnx")


@pytest.mark.parametrize(("noise", "found"), [(20, True), (60, False)])
def test_tuned_settings_are_named_and_saved(tmp_path, monkeypatch, capsys, noise, found):
    rng = np.random.default_rng(0)
    for name, colour in {"bolt": (150, 90, 80), "key": (90, 140, 90), "nut": (90, 90, 150)}.items():
        (tmp_path / "support" / name).mkdir(parents=True)
        for i in range(6):
            pixels = np.clip(
                np.array(colour) + rng.normal(0, noise, (16, 20, 3)) + rng.normal(0, 0.7 * noise, 3), 0, 255
            )
            Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / "support" / name / f"{i}.png")
    tiny_onnx(tmp_path / "tiny.onnx")
    arguments = [
        "adapt",
        "support",
        "-o",
        "sensor.bideta",
        "--encoder",
        "twin-tvl",
        "--set",
        "weights=tiny.onnx",
        "--tune",
    ]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["bideta", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    said = capsys.readouterr().err
    adapted = Bideta.load(tmp_path / "sensor.bideta")
    assert ("nothing better found, preset kept" in said) is not found
    if not found:
        assert {**adapted.get_params(), **presets.TOUCH} == adapted.get_params()
        return
    (chosen,) = re.findall("settings: (.*)", said)
    for part in chosen.split(", "):
        name, _, value = part.partition("=")
        assert str(adapted.get_params()[name]) == value
