"""Encoders run by onnxruntime, without torch: RGB uint8 frames of any size → two readouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bideta.encoders import EncoderInfo, Readouts
from bideta.encoders.runners.batches import joined, sliced
from bideta.encoders.runners.onnx_content import check_content
from bideta.encoders.runners.prepared import Prepared
from bideta.encoders.runners.preprocessing import Floats, Preprocessing
from bideta.encoders.runners.threads import as_many, by_threads, equal_pieces

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


class OnnxEncoder:
    """A session with one input ``(N, channels, height, width)`` and two outputs ``(N, d)``.

    ``at_once`` frames are run together, and ``threads`` such pieces of a batch at a time. Of a small network, pieces
    side by side are faster than one piece by several threads, and few frames keep its layers in the processor's cache;
    the answers do not depend on it.
    """

    def __init__(
        self,
        info: EncoderInfo,
        session: InferenceSession,
        preprocessing: Preprocessing,
        fingerprint: str,
        at_once: int | None = None,
        threads: int = 1,
    ) -> None:
        (frames,) = session.get_inputs()
        expected = [preprocessing.channels, preprocessing.height, preprocessing.width]
        if list(frames.shape[1:]) != expected:
            raise ValueError(
                f"the model of {info.name!r} takes frames {frames.shape[1:]}, expected {expected}"
            )
        self.info, self.preprocessing, self.fingerprint = info, preprocessing, fingerprint
        self._session, self._input, self._at_once, self._threads = session, frames.name, at_once, threads

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Two float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        parts = [
            self.encode_prepared(self.preprocessing.prepare_all(frames, before))
            for frames, before in sliced(images, previous, batch_size, self.preprocessing.channels)
        ]
        return joined(parts, self.info)

    def prepare(self, image: Any, previous: Any = None) -> Prepared:
        """The frame at the network's size."""
        return self.preprocessing.prepare(image, previous)

    def encode_prepared(self, prepared: Sequence[Prepared]) -> Readouts:
        """Two float32 readouts of what ``prepare`` made of a batch."""
        pieces = equal_pieces(prepared, self._at_once or max(1, len(prepared)))
        run = by_threads(lambda piece: self._run(self.preprocessing.stack(piece)), pieces, self._threads)
        return joined(run, self.info)

    def _run(self, batch: Floats) -> list[Floats]:
        readouts = run(self._session, {self._input: batch}, self.info.name)
        for H, promised in zip(readouts, self._session.get_outputs(), strict=True):
            width = promised.shape[1] if promised.shape else None  # an integer where the file says it
            if H.ndim != 2 or len(H) != len(batch) or (isinstance(width, int) and H.shape[1] != width):
                raise ValueError(
                    f"{self.info.name} gave a readout of shape {H.shape}, expected {(len(batch), width or 'd')}"
                )
        return readouts


def open_session(content: bytes, name: str, threads: int | None = None) -> InferenceSession:
    """The ONNX file ``name`` ready to run on the CPU; ``threads`` None leaves their number to onnxruntime."""
    check_content(content, name)
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads cost nothing
    options.log_severity_level = 4  # nothing: errors are raised, and their text may come from the file
    if threads is not None:
        options.intra_op_num_threads = as_many(threads)
        options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(
            content, options, providers=["CPUExecutionProvider"], enable_fallback=False
        )
    except _refusals() as error:
        raise ValueError(
            f"{name} is not an ONNX model that onnxruntime can run ({str(error)[:500]})"
        ) from error
    inputs, outputs = len(session.get_inputs()), len(session.get_outputs())
    if (inputs, outputs) != (1, 2):
        raise ValueError(
            f"{name} has {inputs} inputs and {outputs} outputs, expected 1 (frames) and 2 (readouts)"
        )
    if {part.type for part in (*session.get_inputs(), *session.get_outputs())} != {"tensor(float)"}:
        raise ValueError(f"{name} takes or gives other numbers than float32; export it again")
    return session


def run(session: InferenceSession, inputs: dict[str, Floats], name: str) -> list[Floats]:
    """The outputs; what the model itself makes fail is an error that names it."""
    try:
        outputs: list[Floats] = session.run(None, inputs)
    except _refusals() as error:
        raise ValueError(f"{name} cannot be run by onnxruntime ({str(error)[:500]})") from error
    return outputs


def _refusals() -> tuple[type[Exception], ...]:
    """What onnxruntime raises on models that it cannot use: classes of its own, RuntimeError, text that is no UTF-8."""
    from onnxruntime.capi import onnxruntime_pybind11_state as ort

    own = [one for one in vars(ort).values() if isinstance(one, type) and issubclass(one, Exception)]
    return (*own, RuntimeError, UnicodeDecodeError)
