"""A torch network with two outputs → one ONNX file that says how to prepare its input, checked against torch."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from bideta.artifact import write_atomic
from bideta.encoders import EncoderInfo
from bideta.encoders.runners.torch import TorchEncoder

OPSET = 18
TOLERANCE = 1e-4  # largest difference between torch and onnxruntime, any element of a readout
METADATA = "bideta"  # the entry of the ONNX file that `onnx:<file>` reads


def export(encoder: TorchEncoder, path: Path) -> float:
    """Write the encoder as ONNX with its preprocessing; returns the largest difference, at most 1e-4."""
    frames, info = encoder.preprocessing, encoder.info
    if frames.resize != "pil-bicubic" or frames.pad_and_rotate or frames.background is not None:
        raise ValueError(
            f"{info.name}: only the default preprocessing (bicubic, no padding, no background) can be exported; "
            f"this one is {frames}"
        )
    if frames.height != frames.width:
        raise ValueError(
            f"{info.name}: the input is {frames.height}×{frames.width}, only squares can be exported"
        )
    network = encoder.network.cpu()
    try:
        content = onnx_bytes(
            network, frames.channels, frames.height, described(info, frames.mean, frames.std)
        )
        difference = disagreement(network, content, frames.channels, frames.height)
    finally:
        network.to(encoder.device)
    if difference > TOLERANCE:
        raise ValueError(
            f"torch and onnxruntime differ by {difference:.2g} on {info.name}, expected ≤ {TOLERANCE}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, content)
    return difference


def described(info: EncoderInfo, mean: Any, std: Any) -> dict[str, Any]:
    """What `onnx:<file>` needs to know of the encoder."""
    return {
        "name": info.name, "title": info.title, "licence": info.licence, "reference": info.reference,
        "url": info.url, "tactile": info.tactile, "parameters": info.parameters, "mean": mean, "std": std,
    }  # fmt: skip


def onnx_bytes(network: nn.Module, channels: int, size: int, metadata: dict[str, Any]) -> bytes:
    """The ONNX file: batches of any size; nothing in it tells on whose machine it was written."""
    try:
        import onnxscript  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("export needs onnx and onnxscript: pip install 'bideta[export]'") from error
    example = torch.rand(2, channels, size, size, generator=torch.Generator().manual_seed(0))
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # of torch's exporter about its own internals
        program: Any = torch.onnx.export(
            network.eval(), (example,), input_names=["frames"], output_names=["readout_1", "readout_2"],
            dynamic_shapes=({0: torch.export.Dim("batch")},), opset_version=OPSET, dynamo=True, verbose=False,
        )  # fmt: skip
    model = program.model_proto
    for node in model.graph.node:  # the exporter notes the source lines it came from
        del node.metadata_props[:]
        node.doc_string = ""
    for value in [*model.graph.value_info, *model.graph.input, *model.graph.output]:
        del value.metadata_props[:]
    del model.graph.metadata_props[:]
    del model.metadata_props[:]
    entry = model.metadata_props.add()
    entry.key, entry.value = METADATA, json.dumps(metadata, sort_keys=True)
    return model.SerializeToString(deterministic=True)


def disagreement(network: nn.Module, content: bytes, channels: int, size: int) -> float:
    """Largest absolute difference of any readout between torch and onnxruntime, on three random frames."""
    import onnxruntime

    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    frames = torch.rand(3, channels, size, size, generator=torch.Generator().manual_seed(1))
    worst = 0.0
    for batch in (frames[:1], frames[1:]):
        with torch.inference_mode():
            ours = network(batch)
        theirs = session.run(None, {"frames": batch.numpy()})
        worst = max(worst, *(float(np.abs(a.numpy() - b).max()) for a, b in zip(ours, theirs, strict=True)))
    return worst
