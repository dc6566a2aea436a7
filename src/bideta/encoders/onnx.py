"""``onnx:<file>``: any exported encoder with one image input and two outputs, run by onnxruntime without torch.

A file written by ``bideta encoders export`` says itself how frames are prepared. For any other file pass ``mean``
and ``std`` (three numbers each, after scaling to [0, 1]); without them frames are only scaled. Six input channels
are the frame and then an earlier one.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints import notes
from bideta.encoders.runners.fingerprint import of_file
from bideta.encoders.runners.onnx import OnnxEncoder, open_session, run
from bideta.encoders.runners.preprocessing import Preprocessing, triple
from bideta.encoders.runners.threads import as_many

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def weights_at() -> tuple[str, bool]:
    """In the file that the caller names; until then it is not there."""
    return "the named file", False


# Frames of a piece: of ViT-S 28 ms each instead of 37 in batches of 64, to the bit the same. Pieces of two leave the
# last of three frames alone, and a single frame takes other matrix kernels; pieces of at most three leave none alone.
AT_ONCE = 3
MAX_SIDE = 2048  # pixels; 64 frames of it are 3 GB
INFO = EncoderInfo(
    name="onnx",
    title="Any exported encoder with two outputs",
    tactile=False,
    licence="that of the file",
    family="file",
    decisive=("mean", "std", "channels"),
    weights_at=weights_at,
)


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
    session = open_session(content, path.name, threads)
    size, widths = _checked(session, path.name)
    received = session.get_inputs()[0].shape[1]
    if received not in (3, 6) or (channels is not None and channels != received):
        expected = channels or "3 (a frame) or 6 (a frame and an earlier one)"
        raise ValueError(f"{path.name} takes {received} channels, expected {expected}")
    if (mean is None) != (std is None):
        raise ValueError(f"mean is {mean} and std is {std}: give both or neither")
    facts, noted_mean, noted_std, frame = notes.read(session.get_modelmeta().custom_metadata_map, path.name)
    if mean is None:
        mean, std = noted_mean, noted_std
    shorter = frame["shorter"]
    if shorter is not None and not size <= shorter <= MAX_SIDE:
        raise ValueError(
            f"{path.name} cuts {size} pixels out of {shorter}, expected {size} to {MAX_SIDE}; export it again"
        )
    preprocessing = Preprocessing(size, size, received, triple(mean, "mean"), triple(std, "std"), **frame)
    info = replace(
        INFO, name=f"onnx:{path.name}", input_size=size, channels=received, readouts=widths, family="", **facts
    )  # fmt: skip
    return OnnxEncoder(
        info, session, preprocessing, of_file(content, preprocessing), AT_ONCE, as_many(threads)
    )


def _checked(session: InferenceSession, name: str) -> tuple[int, tuple[int, int]]:
    """Side of the input and widths of both readouts, of a model with a square input and flat outputs."""
    shape, outputs = session.get_inputs()[0].shape, session.get_outputs()
    if len(shape) != 4 or not all(isinstance(side, int) for side in shape[1:]) or shape[2] != shape[3]:
        raise ValueError(
            f"{name} takes {shape}, expected (batch, channels, size, size) with a fixed, square size; export it again"
        )
    if not 1 <= shape[2] <= MAX_SIDE:
        raise ValueError(f"{name} takes frames of {shape[2]} pixels a side, expected 1 to {MAX_SIDE}")
    if isinstance(shape[0], int):
        raise ValueError(f"{name} takes exactly {shape[0]} frames at a time; export it with a dynamic batch")
    for output in outputs:
        if output.shape is not None and len(output.shape) != 2:
            raise ValueError(
                f"{name}: output {output.name!r} is {output.shape}, expected (batch, d); pool the tokens before export"
            )
    widths = [output.shape[1] for output in outputs if output.shape and isinstance(output.shape[1], int)]
    return shape[2], (widths[0], widths[1]) if len(widths) == 2 else _measured(session, name)


def _measured(session: InferenceSession, name: str) -> tuple[int, int]:
    """Widths of both readouts of a model that does not tell them."""
    frames = session.get_inputs()[0]
    first, second = run(session, {frames.name: np.zeros((1, *frames.shape[1:]), np.float32)}, name)
    if first.ndim != 2 or second.ndim != 2:
        raise ValueError(
            f"{name}: outputs are {first.shape} and {second.shape}, expected (batch, d); pool the tokens before export"
        )
    return first.shape[1], second.shape[1]
