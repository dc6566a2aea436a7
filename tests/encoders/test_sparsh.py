"""Sparsh: exact to the parameter, both released layouts, the original code's other behaviours as options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from scipy.special import erf

from bideta.encoders import sparsh
from bideta.encoders.runners.preprocessing import Preprocessing, subtracted
from bideta.plugins import load_encoder

torch = pytest.importorskip("torch", reason="Sparsh is run by torch (extra torch)")

Doubles = NDArray[np.float64]
TOLERANCE = 2e-4  # float32 network against float64 loops


def norm(x: Doubles, weight: Any, bias: Any) -> Doubles:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6) * weight + bias


def described_tokens(a: dict[str, Any], x: Doubles) -> list[Doubles]:
    """Normalised patch tokens after each block, for one input (6, height, width)."""
    rows, columns = x.shape[1] // 16, x.shape[2] // 16
    frequency = [10000 ** -(i / 96) for i in range(96)]
    tokens = [a["register_tokens"][0, 0].astype(np.float64)]
    for row in range(rows):
        for column in range(columns):
            patch = x[:, 16 * row : 16 * row + 16, 16 * column : 16 * column + 16]
            token = (a["patch_embed.proj.weight"] * patch).sum((1, 2, 3)) + a["patch_embed.proj.bias"]
            y_part = [np.sin(row * f) for f in frequency] + [np.cos(row * f) for f in frequency]
            x_part = [np.sin(column * f) for f in frequency] + [np.cos(column * f) for f in frequency]
            tokens.append(token + np.array(y_part + x_part))
    t = np.stack(tokens)
    layers = []
    for i in range(12):
        b = {key.removeprefix(f"blocks.{i}."): v for key, v in a.items() if key.startswith(f"blocks.{i}.")}
        qkv = norm(t, b["norm1.weight"], b["norm1.bias"]) @ b["attn.qkv.weight"].T + b["attn.qkv.bias"]
        q, k, v = qkv.reshape(len(t), 3, 6, 64).transpose(1, 2, 0, 3)  # (6 heads, tokens, 64) each
        scores = q * 64**-0.5 @ k.transpose(0, 2, 1)
        attention = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (attention / attention.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(t), 384)
        t = t + b["ls1.gamma"] * (mixed @ b["attn.proj.weight"].T + b["attn.proj.bias"])
        hidden = norm(t, b["norm2.weight"], b["norm2.bias"]) @ b["mlp.fc1.weight"].T + b["mlp.fc1.bias"]
        hidden = hidden * (1 + erf(hidden / np.sqrt(2))) / 2
        t = t + b["ls2.gamma"] * (hidden @ b["mlp.fc2.weight"].T + b["mlp.fc2.bias"])
        layers.append(norm(t, a["norm.weight"], a["norm.bias"])[1:])  # without the register
    return layers


def prepared(image: NDArray[np.uint8], size: tuple[int, int] = (224, 224)) -> Doubles:
    picture = Image.fromarray(image).resize(size[::-1], Image.Resampling.BICUBIC)
    return np.asarray(picture).transpose(2, 0, 1) / 255.0


def test_both_released_layouts_give_the_numbers_of_the_description(
    sparsh_safetensors: Path, sparsh_ckpt: Path, sparsh_arrays: dict[str, Any], frames: NDArray[np.uint8]
) -> None:
    encoder = load_encoder("sparsh", weights=sparsh_safetensors, device="cpu")
    network = encoder.network
    assert len(network.state_dict()) == 174
    assert sum(p.numel() for p in network.parameters()) == sparsh.INFO.parameters == 21_894_144
    now, before = frames
    layers = described_tokens(sparsh_arrays, np.concatenate([prepared(now), prepared(before)]))
    first, second = encoder.encode(now[None], previous=before[None])
    np.testing.assert_allclose(first[0], layers[10].mean(0), atol=TOLERANCE)
    np.testing.assert_allclose(second[0], layers[11].mean(0), atol=TOLERANCE)
    network.first_patch = 2  # drop_first_patch: 195 of 196, as the original get_intermediate_layers
    np.testing.assert_allclose(
        encoder.encode(now[None], before[None])[1][0], layers[11][1:].mean(0), atol=TOLERANCE
    )
    assert load_encoder("sparsh", weights=sparsh_ckpt, device="cpu").fingerprint == encoder.fingerprint


def test_without_an_earlier_frame_the_frame_is_doubled(frames: NDArray[np.uint8]) -> None:
    prepare = Preprocessing(224, 224, 6)
    np.testing.assert_array_equal(prepare(frames), prepare(frames, frames))
    both = prepare(frames[:1], frames[1:])
    np.testing.assert_allclose(both[0, :3], prepared(frames[0]), atol=1e-6)  # the current frame first
    np.testing.assert_allclose(both[0, 3:], prepared(frames[1]), atol=1e-6)


def test_pretraining_size_and_background_are_options(
    sparsh_safetensors: Path, sparsh_arrays: dict[str, Any], frames: NDArray[np.uint8]
) -> None:
    size = (48, 32)  # as 320×240, but quicker: positions are computed for any grid
    encoder = sparsh.load(sparsh_safetensors, device="cpu", size=size, background=frames[1])
    assert (encoder.info.input_size, encoder.info.input_width) == size
    x = prepared(subtracted(frames[0], frames[1]), size)
    layers = described_tokens(sparsh_arrays, np.concatenate([x, x]))
    np.testing.assert_allclose(encoder.encode(frames[:1])[1][0], layers[11].mean(0), atol=TOLERANCE)
    plain = sparsh.load(sparsh_safetensors, device="cpu", size=size)
    assert plain.fingerprint != encoder.fingerprint


def test_sizes_that_are_no_whole_patches_are_refused() -> None:
    for size in ((320, 250), 2048, 0, (224,), "x"):
        with pytest.raises(ValueError, match=r"size is .*, expected multiples of 16 pixels"):
            sparsh.load(size=size)
    with pytest.raises(ValueError, match="background: a frame has shape"):
        sparsh.load(background=np.zeros((4, 4)))


def test_the_195_patch_flag_changes_the_fingerprint() -> None:
    marks = {
        load_encoder("sparsh", random_weights=True, drop_first_patch=flag).fingerprint
        for flag in (False, True)
    }
    assert len(marks) == 2
