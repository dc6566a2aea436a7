"""Trained network → the shipped files: safetensors and ONNX, which must agree."""

from __future__ import annotations

from pathlib import Path

from safetensors.torch import save

from bideta.artifact import write_atomic
from bideta.encoders.checkpoints.export import compared, onnx_bytes
from bideta.encoders.networks.embedded import TwinViT, folded
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
