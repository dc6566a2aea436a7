"""``onnx:<file>``: any exported encoder with one image input and two outputs, run by onnxruntime without torch.

A file written by ``bideta encoders export`` says itself how frames are prepared. For any other file pass ``mean``
and ``std`` (three numbers each, after scaling to [0, 1]); without them frames are only scaled. Six input channels
are the frame and then an earlier one.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.runners.onnx import OnnxEncoder, Preprocessing

INFO = EncoderInfo(
    name="onnx",
    title="Any exported encoder with two outputs",
    input_size=224,
    channels=3,
    readouts=(0, 0),
    tactile=False,
    licence="that of the file",
    family="file",
)
METADATA = "bideta"  # written by `bideta encoders export`
KNOWN = ("title", "licence", "reference", "url", "tactile", "parameters")


def load(
    file: str | Path = "",
    *,
    mean: tuple[float, float, float] | None = None,
    std: tuple[float, float, float] | None = None,
    channels: int | None = None,
    threads: int | None = None,
) -> Encoder:
    """The encoder in ``file``; ``channels`` (3 or 6), if given, must be what the file takes."""
    if not file:
        raise ValueError("which file? Name it after the colon, as in onnx:encoder.onnx")
    path = Path(file).expanduser()
    if not path.is_file():
        raise FileNotFoundError(
            f"onnx:{path}: no such file; write one with `bideta encoders export NAME --onnx FILE`"
        )
    content = path.read_bytes()
    shape, outputs, notes = _look(content, path.name)
    if shape[0] not in (3, 6) or (channels is not None and channels != shape[0]):
        expected = channels or "3 (a frame) or 6 (a frame and an earlier one)"
        raise ValueError(f"{path.name} takes {shape[0]} channels, expected {expected}")
    if (mean is None) != (std is None):
        raise ValueError(f"mean is {mean} and std is {std}: give both or neither")
    if mean is None or std is None:
        mean, std = notes.get("mean"), notes.get("std")
    preprocessing = Preprocessing(shape[1], shape[0], _triple(mean, "mean"), _triple(std, "std"))
    facts = {key: notes[key] for key in KNOWN if key in notes}
    info = replace(INFO, name=f"onnx:{path.name}", input_size=shape[1], channels=shape[0], family="", **facts)
    encoder = OnnxEncoder(info, content, preprocessing, threads)
    encoder.info = replace(info, readouts=outputs or _probed(encoder, shape[1], path.name))
    return encoder


def weights_at() -> tuple[str, bool]:
    """Where the weights are expected, and whether they are there."""
    return "the named file", False


def _look(content: bytes, name: str) -> tuple[list[int], tuple[int, int] | None, dict[str, Any]]:
    """Input (channels, height, width), widths of the outputs where the file says them, and its notes."""
    import onnxruntime
    from onnxruntime.capi.onnxruntime_pybind11_state import (
        Fail,
        InvalidArgument,
        InvalidGraph,
        InvalidProtobuf,
        NotImplemented,
    )

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # only looked at
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except (Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NotImplemented, RuntimeError) as error:
        raise ValueError(f"{name} is not an ONNX model that onnxruntime can run ({error})") from error
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if len(inputs) != 1 or len(outputs) != 2:
        raise ValueError(
            f"{name} has {len(inputs)} inputs and {len(outputs)} outputs, expected 1 (frames) and 2 (readouts)"
        )
    shape = inputs[0].shape
    if len(shape) != 4 or not all(isinstance(side, int) for side in shape[1:]) or shape[2] != shape[3]:
        raise ValueError(
            f"{name} takes {shape}, expected (batch, channels, size, size) with a fixed, square size; export it again"
        )
    if isinstance(shape[0], int):
        raise ValueError(f"{name} takes exactly {shape[0]} frames at a time; export it with a dynamic batch")
    for output in outputs:
        if output.shape is not None and len(output.shape) != 2:
            raise ValueError(
                f"{name}: output {output.name!r} is {output.shape}, expected (batch, d); pool the tokens before export"
            )
    widths = [output.shape[1] for output in outputs if output.shape and isinstance(output.shape[1], int)]
    fixed = (widths[0], widths[1]) if len(widths) == 2 else None
    notes = session.get_modelmeta().custom_metadata_map.get(METADATA)
    return list(shape[1:]), fixed, json.loads(notes) if notes else {}


def _probed(encoder: OnnxEncoder, size: int, name: str) -> tuple[int, int]:
    first, second = encoder.encode(np.zeros((1, size, size, 3), np.uint8))
    if first.ndim != 2 or second.ndim != 2:
        raise ValueError(
            f"{name}: outputs are {first.shape} and {second.shape}, expected (batch, d); pool the tokens before export"
        )
    return first.shape[1], second.shape[1]


def _triple(values: Any, argument: str) -> tuple[float, float, float] | None:
    if values is None:
        return None
    if len(values) != 3:
        raise ValueError(f"{argument} has {len(values)} numbers, expected 3 (red, green, blue)")
    return float(values[0]), float(values[1]), float(values[2])
