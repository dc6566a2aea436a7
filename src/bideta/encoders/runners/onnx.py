"""Encoders run by onnxruntime, without torch: RGB uint8 frames of any size → two readouts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from bideta.encoders import EncoderInfo, Readouts
from bideta.encoders.runners.batches import batches, joined
from bideta.encoders.runners.preprocessing import Preprocessing

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


class OnnxEncoder:
    """A session with one input ``(N, channels, height, width)`` and two outputs ``(N, d)``."""

    def __init__(
        self, info: EncoderInfo, session: InferenceSession, preprocessing: Preprocessing, fingerprint: str
    ) -> None:
        (frames,) = session.get_inputs()
        expected = [preprocessing.channels, preprocessing.height, preprocessing.width]
        if list(frames.shape[1:]) != expected:
            raise ValueError(
                f"the model of {info.name!r} takes frames {frames.shape[1:]}, expected {expected}"
            )
        self.info, self.preprocessing, self.fingerprint = info, preprocessing, fingerprint
        self._session, self._input = session, frames.name

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Two float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        parts = [
            self._session.run(None, {self._input: batch})
            for batch in batches(self.preprocessing, images, previous, batch_size)
        ]
        return joined(parts, self.info)


def open_session(content: bytes, name: str, threads: int | None = None) -> InferenceSession:
    """The ONNX file ``name`` ready to run on the CPU; ``threads`` None leaves their number to onnxruntime."""
    # Since 1.29 onnxruntime reports its use unless it is told not to before it is first imported.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as ort

    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads cost nothing
    options.log_severity_level = 3  # errors only
    if threads is not None:
        if threads < 1:
            raise ValueError(f"threads is {threads}, expected at least 1 or None")
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
    refusals = ort.Fail, ort.InvalidArgument, ort.InvalidGraph, ort.InvalidProtobuf, ort.NotImplemented
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except (*refusals, RuntimeError) as error:
        raise ValueError(f"{name} is not an ONNX model that onnxruntime can run ({error})") from error
    inputs, outputs = len(session.get_inputs()), len(session.get_outputs())
    if (inputs, outputs) != (1, 2):
        raise ValueError(
            f"{name} has {inputs} inputs and {outputs} outputs, expected 1 (frames) and 2 (readouts)"
        )
    return session
