"""Encoders run by onnxruntime, without torch: RGB uint8 frames of any size → two readouts."""

from __future__ import annotations

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
        inputs, outputs = session.get_inputs(), session.get_outputs()
        if len(inputs) != 1 or len(outputs) != 2:
            raise ValueError(
                f"the model of {info.name!r} has {len(inputs)} inputs and {len(outputs)} outputs, expected 1 and 2"
            )
        expected = [preprocessing.channels, preprocessing.height, preprocessing.width]
        if list(inputs[0].shape[1:]) != expected:
            raise ValueError(
                f"the model of {info.name!r} takes frames {inputs[0].shape[1:]}, expected {expected}"
            )
        self.info, self.preprocessing, self.fingerprint = info, preprocessing, fingerprint
        self._session, self._input = session, inputs[0].name

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Two float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        parts = [
            self._session.run(None, {self._input: batch})
            for batch in batches(self.preprocessing, images, previous, batch_size)
        ]
        return joined(parts, self.info)


def open_session(content: bytes, threads: int | None = None) -> InferenceSession:
    """An ONNX file's content, ready to run on the CPU; ``threads`` None leaves their number to onnxruntime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads cost nothing
    options.log_severity_level = 3  # errors only
    if threads is not None:
        if threads < 1:
            raise ValueError(f"threads is {threads}, expected at least 1 or None")
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
