"""The shipped twins: what they promise, and that their files belong together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from bideta.encoders import twin_sparsh, twin_tvl
from bideta.encoders.checkpoints.embedded import WEIGHTS
from bideta.plugins import load_encoder, names

TWINS = [pytest.param(twin_tvl, id="twin-tvl"), pytest.param(twin_sparsh, id="twin-sparsh")]


@pytest.fixture(scope="module")
def frames() -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (5, 64, 64, 3), dtype=np.uint8)


@pytest.mark.parametrize("twin", TWINS)
def test_readouts_have_the_promised_shape_and_are_repeatable(
    twin: ModuleType, frames: NDArray[np.uint8]
) -> None:
    encoder = load_encoder(twin.INFO.name, threads=1)
    once, twice = encoder.encode(frames), encoder.encode(frames)
    for readout, again, width in zip(once, twice, twin.INFO.readouts, strict=True):
        assert readout.shape == (5, width)
        assert readout.dtype == np.float32
        assert np.isfinite(readout).all()
        np.testing.assert_array_equal(readout, again)


@pytest.mark.parametrize("twin", TWINS)
def test_the_batch_size_does_not_change_the_answer(twin: ModuleType, frames: NDArray[np.uint8]) -> None:
    encoder = twin.load(threads=1)
    for whole, split in zip(encoder.encode(frames), encoder.encode(frames, batch_size=2), strict=True):
        np.testing.assert_allclose(whole, split, atol=1e-5)


@pytest.mark.parametrize("twin", TWINS)
def test_onnx_and_safetensors_agree(twin: ModuleType, frames: NDArray[np.uint8]) -> None:
    pytest.importorskip("torch")
    onnx = twin.load(threads=1)
    torch = twin.load(WEIGHTS / f"{twin.INFO.name}.safetensors")
    assert onnx.fingerprint != torch.fingerprint
    for a, b in zip(onnx.encode(frames), torch.encode(frames), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-4)


@pytest.mark.parametrize("twin", TWINS)
def test_info_counts_the_shipped_weights(twin: ModuleType) -> None:
    from safetensors.numpy import load_file

    tensors = load_file(WEIGHTS / f"{twin.INFO.name}.safetensors")
    assert sum(tensor.size for tensor in tensors.values()) == twin.INFO.parameters


@pytest.mark.parametrize("twin", TWINS)
def test_the_control_is_another_network_of_the_same_shape(
    twin: ModuleType, frames: NDArray[np.uint8]
) -> None:
    trained, control = twin.load(threads=1), twin.load(threads=1, random_weights=True)
    same, other = twin.load(threads=1, random_weights=True), twin.load(threads=1, random_weights=True, seed=1)
    assert control.fingerprint == same.fingerprint
    assert len({trained.fingerprint, control.fingerprint, other.fingerprint}) == 3
    for a, b, c in zip(trained.encode(frames), control.encode(frames), same.encode(frames), strict=True):
        assert a.shape == b.shape
        assert np.abs(a - b).max() > 0.1
        np.testing.assert_array_equal(b, c)


@pytest.mark.parametrize("twin", TWINS)
def test_every_weight_of_the_control_is_replaced(
    twin: ModuleType, frames: NDArray[np.uint8], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    from safetensors.numpy import load_file, save_file

    from bideta.encoders.checkpoints.embedded import initial

    trained = load_file(WEIGHTS / f"{twin.INFO.name}.safetensors")
    rng = np.random.default_rng(0)
    save_file({key: initial(key, trained, rng) for key in sorted(trained)}, tmp_path / "control.safetensors")
    by_torch = twin.load(tmp_path / "control.safetensors")
    control = twin.load(threads=1, random_weights=True)
    for a, b in zip(control.encode(frames), by_torch.encode(frames), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-4)


def test_sparsh_repeats_the_frame_where_there_is_no_earlier_one(frames: NDArray[np.uint8]) -> None:
    encoder = twin_sparsh.load(threads=1)
    alone, doubled = encoder.encode(frames), encoder.encode(frames, previous=frames)
    moved = encoder.encode(frames, previous=frames[::-1])
    for a, b, c in zip(alone, doubled, moved, strict=True):
        np.testing.assert_array_equal(a, b)
        assert np.abs(a - c).max() > 1e-3


def test_tvl_ignores_the_earlier_frame(frames: NDArray[np.uint8]) -> None:
    encoder = twin_tvl.load(threads=1)
    for a, b in zip(encoder.encode(frames), encoder.encode(frames, previous=frames[::-1]), strict=True):
        np.testing.assert_array_equal(a, b)


def test_both_twins_are_plugins() -> None:
    assert {"twin-tvl", "twin-sparsh"} <= set(names("encoder"))


def test_shipped_weights_stay_small() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) <= 16_000_000


@pytest.mark.parametrize("twin", TWINS)
def test_the_shipped_graph_names_nobodys_folders(twin: ModuleType) -> None:
    content = (WEIGHTS / f"{twin.INFO.name}.onnx").read_bytes()
    assert b"stack_trace" not in content
    assert b'File "' not in content


def test_unknown_weights_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'weights\.bin', expected a \.onnx or a \.safetensors"):
        twin_tvl.load(tmp_path / "weights.bin")
    for missing in ("a.onnx", "a.safetensors"):
        with pytest.raises(FileNotFoundError, match="weights of 'twin-tvl' not found"):
            twin_tvl.load(tmp_path / missing)
    with pytest.raises(ValueError, match="draws its own weights"):
        twin_tvl.load("a.onnx", random_weights=True)


def test_encoding_does_not_import_torch() -> None:
    code = (
        "import sys, numpy as np; from bideta.encoders import twin_sparsh, twin_tvl\n"
        "for twin in (twin_sparsh, twin_tvl):\n"
        "    twin.load(threads=1).encode(np.zeros((1, 64, 64, 3), np.uint8))\n"
        "    twin.load(threads=1, random_weights=True)\n"
        "assert 'torch' not in sys.modules and 'onnx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.onnx").write_bytes(b"torn")
    with pytest.raises(ValueError, match=r"mine.onnx is not an ONNX model that onnxruntime can run"):
        twin_tvl.load(tmp_path / "mine.onnx")
