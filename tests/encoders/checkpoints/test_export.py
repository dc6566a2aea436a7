"""An exported encoder agrees with torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bideta.encoders import EncoderInfo, sparsh, tvl
from bideta.encoders.runners.preprocessing import Preprocessing
from bideta.plugins import load_encoder


@pytest.mark.parametrize("name", ["tvl", "sparsh"])
def test_an_exported_encoder_agrees_with_torch_and_knows_its_preprocessing(
    name: str, tmp_path: Path, frames: NDArray[np.uint8]
) -> None:
    pytest.importorskip("torch", reason="export needs torch (extra torch)")
    pytest.importorskip("onnxscript", reason="export needs onnxscript (extra export)")
    from bideta.encoders.checkpoints.export import TOLERANCE, export
    from bideta.encoders.checkpoints.filling import untrained
    from bideta.encoders.networks.released import Shape, SparshNetwork, TvlNetwork
    from bideta.encoders.runners.fingerprint import of_network
    from bideta.encoders.runners.torch import TorchEncoder

    info: EncoderInfo = {"tvl": tvl, "sparsh": sparsh}[name].INFO
    statistics = (tvl.MEAN, tvl.STD) if name == "tvl" else (None, None)
    kind: Any = TvlNetwork if name == "tvl" else SparshNetwork
    # ViT-S but for the depth: the exporter's time grows with it.
    shape = Shape(channels=info.channels, depth=2)
    preprocessing = Preprocessing(224, 224, info.channels, *statistics)
    network = untrained(lambda: kind(shape), 0)
    encoder = TorchEncoder(info, network, preprocessing, of_network(network, preprocessing, ""), "cpu")
    path = tmp_path / "export" / "small.onnx"
    assert export(encoder, path) <= TOLERANCE
    loaded = load_encoder(f"onnx:{path}", threads=1)
    assert (loaded.info.licence, loaded.info.tactile) == (info.licence, True)
    for a, b in zip(loaded.encode(frames), encoder.encode(frames), strict=True):
        np.testing.assert_allclose(a, b, atol=TOLERANCE)
    assert b"site-packages" not in path.read_bytes()
    encoder.preprocessing = Preprocessing(224, 224, info.channels, resize="torch-bilinear")
    with pytest.raises(ValueError, match="only a plain preprocessing"):
        export(encoder, path)
