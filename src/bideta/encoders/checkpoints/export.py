"""A torch network with two outputs → one ONNX file that says how to prepare its input, checked against torch."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from bideta.encoders.checkpoints import notes
from bideta.encoders.runners.onnx import open_session
from bideta.encoders.runners.preprocessing import PIL_FILTERS
from bideta.encoders.runners.torch import TorchEncoder
from bideta.images.files import write_atomic

OPSET = 18
TOLERANCE = 1e-4  # largest difference between torch and onnxruntime, any element of a readout


def export(encoder: TorchEncoder, path: Path) -> float:
    """Write the encoder as ONNX with its preprocessing; returns the largest difference, at most 1e-4."""
    if not isinstance(encoder, TorchEncoder):
        raise ValueError(
            f"{encoder.info.name}: only one encoder that torch runs can be exported; export each part"
        )
    info, preprocessing = encoder.info, encoder.preprocessing
    channels, height, width = preprocessing.channels, preprocessing.height, preprocessing.width
    if (
        preprocessing.resize not in PIL_FILTERS
        or preprocessing.pad_and_rotate
        or preprocessing.background is not None
    ):
        raise ValueError(
            f"{info.name}: only a plain preprocessing (resized by PIL, no padding, no background) can be exported; "
            f"this one is {preprocessing}"
        )
    if height != width:
        raise ValueError(f"{info.name}: the input is {height}×{width}, only squares can be exported")
    network = encoder.network.cpu()
    try:
        content = onnx_bytes(network, channels, height, notes.write(info, preprocessing))
        difference = compared(network, content, info.name, channels, height)
    finally:
        network.to(encoder.device)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, content)
    return difference


def onnx_bytes(
    network: nn.Module, channels: int, size: int, note: str = "", *, optimize: bool = True
) -> bytes:
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
            optimize=optimize,
        )  # fmt: skip
    model = program.model_proto
    graph = model.graph
    # The exporter notes the source lines that everything came from.
    for part in (model, graph, *graph.node, *graph.value_info, *graph.input, *graph.output):
        del part.metadata_props[:]
    for node in graph.node:
        # Set, not cleared: the file's bytes, and so its fingerprint, stay what they were.
        node.doc_string = ""
    if note:
        entry = model.metadata_props.add()
        entry.key, entry.value = notes.ENTRY, note
    return model.SerializeToString(deterministic=True)


def compared(
    network: nn.Module, content: bytes, name: str, channels: int, size: int, frames: int = 3
) -> float:
    """Largest difference of any readout between torch and onnxruntime, on random frames; at most 1e-4."""
    session = open_session(content, name)
    inputs = torch.rand(frames, channels, size, size, generator=torch.Generator().manual_seed(1))
    worst = 0.0
    for batch in (inputs[:1], inputs[1:]):
        with torch.inference_mode():
            ours = network(batch)
        theirs = session.run(None, {"frames": batch.numpy()})
        worst = max(worst, *(float(np.abs(a.numpy() - b).max()) for a, b in zip(ours, theirs, strict=True)))
    if worst > TOLERANCE:
        raise ValueError(f"torch and onnxruntime differ by {worst:.2g} on {name}, expected ≤ {TOLERANCE}")
    return worst
