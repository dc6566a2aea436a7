"""Encoders run by onnxruntime: RGB uint8 frames of any size → two readouts, without torch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bideta.encoders import EncoderInfo, Readouts

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Preprocessing:
    """How a frame becomes input: bicubic resize, [0, 1], then (x − mean) / std where both are given."""

    size: int
    channels: int = 3  # 6: the frame, then the earlier frame (the frame itself where there is none)
    mean: tuple[float, float, float] | None = None
    std: tuple[float, float, float] | None = None

    def __call__(self, frames: Any, earlier: Any = None) -> Floats:
        """``(B, channels, size, size)`` float32 from B frames and, for six channels, B earlier ones."""
        current = self._scale(frames, "images")
        if self.channels == 3:
            return current
        before = current if earlier is None else self._scale(earlier, "previous")
        return np.concatenate([current, before], axis=1)

    def _scale(self, frames: Any, argument: str) -> Floats:
        pixels = np.stack([resized(frame, self.size, argument) for frame in frames])
        scaled: Floats = pixels.astype(np.float32) / np.float32(255)
        if self.mean is not None and self.std is not None:
            scaled -= np.array(self.mean, np.float32)
            scaled /= np.array(self.std, np.float32)
        return np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))


def resized(frame: Any, size: int, argument: str = "images") -> NDArray[np.uint8]:
    """``(size, size, 3)`` uint8, by PIL's bicubic filter; a frame of that size is returned as it is."""
    pixels = np.asarray(frame)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or not pixels.size:
        raise ValueError(
            f"{argument}: a frame has shape {pixels.shape} and dtype {pixels.dtype}, expected (H, W, 3) uint8 "
            "RGB; pass a stack (N, H, W, 3), and convert floats in [0, 1] with (x * 255).round().astype('uint8')"
        )
    if pixels.shape[:2] == (size, size):
        return pixels
    return np.asarray(Image.fromarray(pixels).resize((size, size), Image.Resampling.BICUBIC))


def batches(preprocessing: Preprocessing, images: Any, previous: Any, batch_size: int) -> Iterator[Floats]:
    """Network inputs of at most ``batch_size`` frames, in order; ``images`` may read from disk lazily."""
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}, expected at least 1")
    if previous is not None and len(previous) != len(images):
        raise ValueError(
            f"images and previous disagree on the number of frames: {len(images)} and {len(previous)}"
        )
    if preprocessing.channels == 3:
        previous = None  # never read
    for start in range(0, len(images), batch_size):
        rows = slice(start, start + batch_size)
        yield preprocessing(images[rows], None if previous is None else previous[rows])


def joined(parts: Sequence[Sequence[Floats]], info: EncoderInfo) -> Readouts:
    """Both readouts of all batches; no batches give two empty arrays of the right width."""
    if not parts:
        first, second = info.readouts
        return np.zeros((0, first), np.float32), np.zeros((0, second), np.float32)
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


class OnnxEncoder:
    """An ONNX file with one input ``(N, channels, size, size)`` and two outputs ``(N, d)``.

    ``threads`` is the number of intra-op threads (None: onnxruntime's choice); idle threads never spin.
    ``model`` is a path, or the file's content.
    """

    def __init__(
        self,
        info: EncoderInfo,
        model: Path | str | bytes,
        preprocessing: Preprocessing,
        threads: int | None = None,
    ) -> None:
        import onnxruntime

        if not isinstance(model, bytes):
            path = Path(model)
            if not path.is_file():
                raise FileNotFoundError(f"weights of {info.name!r} not found: {path}")
            model = path.read_bytes()
        options = onnxruntime.SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3  # errors only
        if threads is not None:
            if threads < 1:
                raise ValueError(f"threads is {threads}, expected at least 1 or None")
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
        self.info, self.preprocessing = info, preprocessing
        self.fingerprint = hashlib.sha256(model + repr(preprocessing).encode()).hexdigest()
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1 or len(outputs) != 2:
            raise ValueError(
                f"the model of {info.name!r} has {len(inputs)} inputs and {len(outputs)} outputs, expected 1 and 2"
            )
        expected = [preprocessing.channels, preprocessing.size, preprocessing.size]
        if list(inputs[0].shape[1:]) != expected:
            raise ValueError(
                f"the model of {info.name!r} takes frames {inputs[0].shape[1:]}, expected {expected}"
            )
        self._input = inputs[0].name

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Two float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        parts = [
            self._session.run(None, {self._input: batch})
            for batch in batches(self.preprocessing, images, previous, batch_size)
        ]
        return joined(parts, self.info)
