"""Trained network → the shipped files: safetensors and ONNX, which must agree."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import save
from torch import nn

from bideta.encoders.checkpoints.export import compared, onnx_bytes
from bideta.encoders.networks.embedded import TwinViT
from bideta.images.files import write_atomic
from training.data import SIZE

FRAMES = 33  # random frames on which torch and onnxruntime are compared


def export(model: TwinViT, name: str, folder: Path) -> float:
    """Write ``name.safetensors`` and ``name.onnx``; returns their largest difference, which is at most 1e-4."""
    plain = folded(model.eval())
    channels = plain.shape.channels
    # Unoptimised, every weight keeps its name and its bytes: the untrained control replaces them in the file.
    graph = onnx_bytes(plain, channels, SIZE, optimize=False)
    difference = compared(plain, graph, name, channels, SIZE, FRAMES)
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(folder / f"{name}.safetensors", save(plain.state_dict()))
    write_atomic(folder / f"{name}.onnx", graph)
    return difference


def folded(model: TwinViT) -> TwinViT:
    """The same function without BatchNorm: its running statistics become part of the convolutions."""
    plain = TwinViT(model.shape, model.kind).eval()
    state = {key: value for key, value in model.state_dict().items() if key in plain.state_dict()}
    for conv, norm in ((0, 1), (3, 4)):
        batch_norm = model.stem[norm]
        if not isinstance(batch_norm, nn.BatchNorm2d):
            continue
        assert batch_norm.running_mean is not None
        assert batch_norm.running_var is not None
        scale = batch_norm.weight / torch.sqrt(batch_norm.running_var + batch_norm.eps)
        state[f"stem.{conv}.weight"] = state[f"stem.{conv}.weight"] * scale[:, None, None, None]
        state[f"stem.{conv}.bias"] = (
            state[f"stem.{conv}.bias"] - batch_norm.running_mean
        ) * scale + batch_norm.bias
    plain.load_state_dict(state)
    return plain
