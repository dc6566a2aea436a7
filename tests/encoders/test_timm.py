"""`timm:<model>`: the last two blocks of any ViT, against timm's own pieces put together by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from bideta.encoders import timm as family
from bideta.plugins import load_encoder
from support.timm_import import imported_timm

torch = pytest.importorskip("torch", reason="timm models are run by torch (extra torch)")


@pytest.fixture(scope="module")
def timm() -> Any:
    return imported_timm()


def by_hand(network: Any, x: Any) -> list[Any]:
    """Mean normalised patch tokens of the last two blocks, prefix tokens left out."""
    tokens = network.norm_pre(network.patch_drop(network._pos_embed(network.patch_embed(x))))
    outputs = []
    for block in network.blocks:
        tokens = block(tokens)
        outputs.append(network.norm(tokens)[:, network.num_prefix_tokens :].mean(1))
    return outputs[-2:]


@pytest.mark.parametrize(
    ("model", "size", "side"),
    [
        ("vit_tiny_patch16_224", None, 224),
        pytest.param("vit_small_patch14_reg4_dinov2", 56, 56, id="dinov2 with registers"),
    ],
)
def test_readouts_are_the_mean_tokens_of_the_last_two_blocks(
    timm: Any, frames: NDArray[np.uint8], model: str, size: int | None, side: int
) -> None:
    encoder = load_encoder(f"timm:{model}", random_weights=True, size=size, device="cpu")
    network = encoder.network.network
    assert encoder.info.input_size == side
    assert encoder.info.readouts == (network.num_features,) * 2
    assert not encoder.info.tactile
    assert encoder.preprocessing.mean == tuple(network.pretrained_cfg["mean"])
    with torch.inference_mode():
        expected = by_hand(network, torch.from_numpy(encoder.preprocessing(frames)))
    for ours, theirs in zip(encoder.encode(frames), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_a_model_that_normalises_after_pooling_gets_its_pooled_norm(
    timm: Any, frames: NDArray[np.uint8]
) -> None:
    encoder = load_encoder("timm:vit_tiny_patch16_224", random_weights=True, device="cpu")
    body = timm.create_model("vit_tiny_patch16_224", global_pool="avg", num_classes=0).eval()
    assert isinstance(body.norm, torch.nn.Identity)
    pooled = family._pooled(body, "x").eval()
    with torch.inference_mode():
        x = torch.from_numpy(encoder.preprocessing(frames))
        np.testing.assert_allclose(pooled(x)[1], body(x), atol=1e-5)  # which ends in mean and fc_norm


def test_weights_come_from_a_safetensors_file_and_from_nothing_that_runs(
    timm: Any,
    frames: NDArray[np.uint8],
    tmp_path: Path,
    weights_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from safetensors.torch import save_file

    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", None)  # as if it were not installed
    name = "vit_tiny_patch16_224"
    control = load_encoder(f"timm:{name}", random_weights=True, seed=3, device="cpu")
    state = control.network.network.state_dict()
    classifier = {"head.weight": torch.zeros(1000, 192), "head.bias": torch.zeros(1000)}
    with pytest.raises(FileNotFoundError, match=f"{name}.safetensors in"):
        load_encoder(f"timm:{name}")
    save_file(state | classifier, weights_folder / f"{name}.safetensors")
    loaded = load_encoder(f"timm:{name}", device="cpu")
    for ours, theirs in zip(loaded.encode(frames[:1]), control.encode(frames[:1]), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    save_file({"other.weight": torch.zeros(1)}, tmp_path / "other.safetensors")
    with pytest.raises(
        ValueError, match=r"other.safetensors does not fit timm:.*missing \(\d+\): blocks.\{0-11\}"
    ):
        load_encoder(f"timm:{name}", weights=tmp_path / "other.safetensors")
    with pytest.raises(ValueError, match=r"expected a .safetensors file \(others can run code\)"):
        load_encoder(f"timm:{name}", weights=tmp_path / "x.pth")


def test_wrong_names_are_answered_with_right_ones(timm: Any) -> None:
    with pytest.raises(ValueError, match="Name it after the colon, as in timm:"):
        load_encoder("timm")
    with pytest.raises(ValueError, match="timm knows no model 'no_such_net'"):
        load_encoder("timm:no_such_net")
    with pytest.raises(ValueError, match="timm:resnet18 is not a vision transformer"):
        load_encoder("timm:resnet18", random_weights=True)


def test_without_timm_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "timm", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'bideta\[timm\]'"):
        load_encoder("timm:vit_tiny_patch16_224", random_weights=True)


def test_without_torch_the_extra_of_timm_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'bideta\[timm\]'"):
        load_encoder("timm:vit_tiny_patch16_224", random_weights=True)


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("import no_such_torchvision", "no_such_torchvision is missing: pip install 'bideta[timm]'"),
        ("raise RuntimeError('operator torchvision::nms does not exist')", "torchvision does not fit torch"),
    ],
)
def test_a_torchvision_that_is_missing_or_does_not_fit_is_one_line(
    inside: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "timm").mkdir()
    (tmp_path / "timm" / "__init__.py").write_text("")
    (tmp_path / "timm" / "data.py").write_text(inside)
    (tmp_path / "s" / "a").mkdir(parents=True)
    Image.new("RGB", (8, 8)).save(tmp_path / "s" / "a" / "1.png")
    arguments = [
        "adapt",
        str(tmp_path / "s"),
        "-o",
        str(tmp_path / "x"),
        "--encoder",
        "timm:vit_tiny_patch16_224",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "from bideta.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_size_beyond_any_model_is_refused_before_torch_is_asked() -> None:
    for size in (0, 2048, "x"):
        with pytest.raises(ValueError, match=r"size is .*, expected 1 to 1,024 pixels a side"):
            load_encoder("timm:vit_small_patch14_dinov2", random_weights=True, size=size)
