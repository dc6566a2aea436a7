"""Trained network → the shipped files: safetensors and ONNX, which must agree."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from safetensors.torch import save_file

from bideta.encoders.networks.embedded import TwinViT, folded

OPSET = 18
TOLERANCE = 1e-4  # largest difference between torch and onnxruntime, any element of a readout


def export(model: TwinViT, name: str, folder: Path) -> float:
    """Write ``name.safetensors`` and ``name.onnx``; returns their largest difference, which is at most 1e-4."""
    plain = folded(model.eval())
    folder.mkdir(parents=True, exist_ok=True)
    weights, graph = folder / f"{name}.safetensors", folder / f"{name}.onnx"
    save_file(plain.state_dict(), f"{weights}.part")
    example = torch.rand(2, plain.shape.channels, 64, 64, generator=torch.Generator().manual_seed(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch's exporter about its own internals
        torch.onnx.export(
            plain, (example,), f"{graph}.part", input_names=["frames"], output_names=["readout_1", "readout_2"],
            dynamic_shapes=({0: torch.export.Dim("batch")},), opset_version=OPSET, dynamo=True, external_data=False,
            verbose=False,
            optimize=False,  # keeps every weight under its name, byte for byte: the control replaces them
        )  # fmt: skip
    strip(Path(f"{graph}.part"))
    difference = disagreement(plain, Path(f"{graph}.part"))
    if difference > TOLERANCE:
        raise ValueError(
            f"torch and onnxruntime differ by {difference:.2g} on {name}, expected at most {TOLERANCE}"
        )
    for path in (weights, graph):
        os.chmod(f"{path}.part", 0o644)  # safetensors writes files that only their owner can read
        os.replace(f"{path}.part", path)
    return difference


def strip(graph: Path) -> None:
    """Remove the exporter's stack traces: they name folders of the machine that ran it."""
    model = onnx.load(graph)
    for part in (model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.initializer,
                 *model.graph.input, *model.graph.output):  # fmt: skip
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    onnx.save(model, graph, format="protobuf")


def disagreement(model: TwinViT, graph: Path, frames: int = 33) -> float:
    """Largest absolute difference of any readout over random frames, one at a time and in a batch."""
    session = onnxruntime.InferenceSession(graph.read_bytes(), providers=["CPUExecutionProvider"])
    inputs = torch.rand(frames, model.shape.channels, 64, 64, generator=torch.Generator().manual_seed(1))
    worst = 0.0
    for batch in (inputs[:1], inputs):
        with torch.inference_mode():
            ours = model(batch)
        theirs = session.run(None, {"frames": batch.numpy()})
        worst = max(worst, *(float(np.abs(a.numpy() - b).max()) for a, b in zip(ours, theirs, strict=True)))
    return worst
