from __future__ import annotations

from bideta.protocol.deferred_encoder import defer_encoder
from support.tiny_run import tiny_encoder


def test_the_encoder_is_known_before_it_is_loaded(tmp_path):
    name = tiny_encoder(tmp_path)
    encoder = defer_encoder(name, {})
    assert encoder.info.name == "onnx:tiny.onnx"
    assert len(encoder.fingerprint) == 64
    assert encoder.name == name
