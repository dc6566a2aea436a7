"""Eight-bit encoders: close to the original, smaller, prepared alike; refused where the twin loses."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.encoders.checkpoints import notes
from bideta.encoders.checkpoints.embedded import WEIGHTS
from bideta.encoders.checkpoints.int8 import calibration_inputs, fold_transposed, quantised
from bideta.plugins import load_encoder
from bideta.service.faster_encoder import Comparison

onnx = pytest.importorskip("onnx", reason="needs bideta[export]")
FRAMES = np.random.default_rng(0).integers(0, 256, (4, 70, 60, 3), dtype=np.uint8)


def cosine(a, b):
    return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


@pytest.mark.parametrize("static", [False, True])
def test_readouts_stay_close_and_the_file_shrinks(tmp_path, static):
    before = load_encoder("twin-tvl", threads=1)
    content = (WEIGHTS / "twin-tvl.onnx").read_bytes()
    inputs = calibration_inputs(before.preprocessing, FRAMES) if static else None
    small = quantised(content, notes.write(before.info, before.preprocessing), inputs)
    assert len(small) < 0.5 * len(content)
    (tmp_path / "small.onnx").write_bytes(small)
    after = load_encoder(f"onnx:{tmp_path / 'small.onnx'}", threads=1)
    assert after.preprocessing == before.preprocessing
    assert after.info.licence == before.info.licence
    for a, b in zip(before.encode(FRAMES), after.encode(FRAMES), strict=True):
        assert cosine(a, b).min() > 0.99


def test_turned_weights_give_the_same_readouts(tmp_path):
    model = onnx.load(str(WEIGHTS / "twin-tvl.onnx"))
    fold_transposed(model)
    onnx.save(model, str(tmp_path / "folded.onnx"))
    before, after = (
        load_encoder(f"onnx:{path}", threads=1)
        for path in (WEIGHTS / "twin-tvl.onnx", tmp_path / "folded.onnx")
    )
    for a, b in zip(before.encode(FRAMES), after.encode(FRAMES), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_a_loss_of_more_than_half_a_point_is_refused(tmp_path, monkeypatch, capsys):
    from bideta.cli import _int8

    monkeypatch.setattr(_int8, "compare", lambda *_: Comparison((0.9, 0.9), (0.8, 0.75), (2.0, 1.0)))
    with pytest.raises(
        ValueError, match=r"int8 costs 5.0 points on the twin, at most 0.5 is allowed; nothing was written"
    ):
        _int8.export_int8("twin-tvl", tmp_path / "x.onnx", None, {})
    assert not (tmp_path / "x.onnx").exists()
    assert "accuracy on the twin (simulated) 80.0% → 75.0%; 2.0 → 1.0 ms" in capsys.readouterr().err
    with pytest.raises(ValueError, match="handmade is not run from an ONNX file"):
        _int8.export_int8("handmade", tmp_path / "x.onnx", None, {})


def test_both_encoders_are_measured_on_the_same_contacts(monkeypatch):
    from bideta.service import faster_encoder

    monkeypatch.setattr(faster_encoder, "QUERIES", 24)
    monkeypatch.setattr(faster_encoder, "ROUNDS", 1)
    encoder = load_encoder("twin-sparsh", threads=1)
    measured = faster_encoder.compare(encoder, encoder)
    assert measured.loss == 0
    assert measured.agreement == pytest.approx((1, 1))
    assert measured.accuracy[0] > 0.5
    assert min(measured.milliseconds) > 0
