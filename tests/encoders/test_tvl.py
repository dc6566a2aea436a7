"""TVL: exact to the parameter, and the same numbers as a forward pass written from its description alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from scipy.special import erf

from bideta.encoders import tvl
from bideta.plugins import load_encoder
from support.timm_import import imported_timm

torch = pytest.importorskip("torch", reason="TVL is run by torch (extra torch)")

Doubles = NDArray[np.float64]
TOLERANCE = 2e-4  # float32 network against float64 loops


def layer_norm(x: Doubles, weight: Any, bias: Any) -> Doubles:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6) * weight + bias


def described_forward(a: dict[str, Any], image: NDArray[np.uint8]) -> tuple[Doubles, Doubles, Doubles]:
    """One image through timm's ViT-S/16, `global_pool="avg"`: mean token, its fc_norm, the projection."""
    picture = np.asarray(Image.fromarray(image).resize((224, 224), Image.Resampling.BICUBIC)) / 255.0
    x = (picture - (0.291746, 0.297133, 0.291040)) / (0.187645, 0.194677, 0.218716)
    kernel = a["patch_embed.proj.weight"]
    tokens = [a["cls_token"][0, 0]]
    for row in range(14):
        for column in range(14):
            patch = x[16 * row : 16 * row + 16, 16 * column : 16 * column + 16].transpose(2, 0, 1)
            tokens.append((kernel * patch).sum((1, 2, 3)) + a["patch_embed.proj.bias"])
    t = np.stack(tokens).astype(np.float64) + a["pos_embed"][0]  # (197, 384)
    for i in range(12):
        b = {key.removeprefix(f"blocks.{i}."): v for key, v in a.items() if key.startswith(f"blocks.{i}.")}
        n = layer_norm(t, b["norm1.weight"], b["norm1.bias"])
        q, k, v = np.split(n @ b["attn.qkv.weight"].T + b["attn.qkv.bias"], 3, axis=1)
        heads = []
        for head in range(6):
            columns = slice(64 * head, 64 * head + 64)
            scores = q[:, columns] @ k[:, columns].T / np.sqrt(64)
            attention = np.exp(scores - scores.max(1, keepdims=True))
            heads.append(attention / attention.sum(1, keepdims=True) @ v[:, columns])
        t = t + np.concatenate(heads, 1) @ b["attn.proj.weight"].T + b["attn.proj.bias"]
        n = layer_norm(t, b["norm2.weight"], b["norm2.bias"])
        hidden = n @ b["mlp.fc1.weight"].T + b["mlp.fc1.bias"]
        t = t + hidden * (1 + erf(hidden / np.sqrt(2))) / 2 @ b["mlp.fc2.weight"].T + b["mlp.fc2.bias"]
    mean = t[1:].mean(0)
    pooled = layer_norm(mean, a["fc_norm.weight"], a["fc_norm.bias"])
    return mean, pooled, a["head.weight"] @ pooled + a["head.bias"]


def test_the_released_layout_gives_the_numbers_of_the_description(
    tvl_pth: Path, tvl_arrays: dict[str, Any], frames: NDArray[np.uint8], capsys: pytest.CaptureFixture[str]
) -> None:
    encoder = load_encoder("tvl", weights=tvl_pth, device="cpu")
    network = encoder.network
    assert len(network.state_dict()) == 152
    assert sum(p.numel() for p in network.parameters()) == tvl.INFO.parameters == 21_961_344
    assert "not for commercial use" in capsys.readouterr().err
    mean, pooled, projected = described_forward(tvl_arrays, frames[0])
    first, second = encoder.encode(frames[:1])
    np.testing.assert_allclose(first[0], pooled, atol=TOLERANCE)
    np.testing.assert_allclose(second[0], projected, atol=TOLERANCE)
    assert encoder.images_per_second > 0
    network.pre_norm = True
    np.testing.assert_allclose(encoder.encode(frames[:1])[0][0], mean, atol=TOLERANCE)


def test_the_network_is_timms(tvl_arrays: dict[str, Any]) -> None:
    timm = imported_timm()
    from bideta.encoders.networks.released import TvlNetwork

    theirs = timm.create_model("vit_small_patch16_224", num_classes=768, global_pool="avg").eval()
    ours = TvlNetwork().eval()
    state = {key: torch.from_numpy(value) for key, value in tvl_arrays.items()}
    theirs.load_state_dict(state, strict=True)
    ours.load_state_dict(state, strict=True)
    x = torch.rand(1, 3, 224, 224, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        np.testing.assert_allclose(ours(x)[1], theirs(x), atol=1e-5)
        np.testing.assert_allclose(
            ours(x)[0], theirs.forward_head(theirs.forward_features(x), pre_logits=True), atol=1e-5
        )


def test_settings_that_change_the_numbers_change_the_fingerprint() -> None:
    kinds: list[dict[str, Any]] = [{}, {"pooling": "pre-norm"}, {"resize": "torch-bilinear"}, {"seed": 1}]
    marks = {load_encoder("tvl", random_weights=True, **kind).fingerprint for kind in kinds}
    assert len(marks) == 4
    assert load_encoder("tvl", random_weights=True).fingerprint in marks


def test_unknown_settings_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="pooling is 'cls', expected one of normed, pre-norm"):
        tvl.load(pooling="cls")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="resize is 'nearest', expected one of pil-bicubic"):
        tvl.load(resize="nearest")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="draws its own weights"):
        tvl.load(tmp_path / "x.pth", random_weights=True)
    with pytest.raises(ValueError, match="device is 'warp'"):
        tvl.load(random_weights=True, device="warp")
