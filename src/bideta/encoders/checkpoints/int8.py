"""An ONNX encoder with eight-bit weights: smaller and faster, and measured before it is used.

Without pictures only the weights of matrix products are rounded, and what goes in at run time (dynamic). With pictures
of the sensor the range of every activation is measured on them (static), which suits convolutions too.
"""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bideta.encoders.checkpoints import notes
from bideta.encoders.runners.preprocessing import Floats

MATRICES = [
    "MatMul",
    "Gemm",
]  # where a vision transformer spends its time; rounding convolutions slows them down


def quantised(content: bytes, note: str, inputs: Sequence[Floats] | None = None) -> bytes:
    """The ONNX file with eight-bit weights; ``inputs`` are network inputs of calibration pictures, one array each.

    ``note`` says how frames are prepared (``notes.write``).
    """
    try:
        import onnx
        from onnxruntime import quantization
    except ImportError as error:
        raise ImportError("int8 needs onnx: pip install 'bideta[export]'") from error
    model = onnx.load_from_string(content)
    fold_transposed(model)
    del model.graph.value_info[:]  # exported shapes may contradict each other; they are found anew
    (name,) = (value.name for value in model.graph.input)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the quantiser about its own steps
        logging.getLogger().addFilter(_quiet)
        source, target = Path(folder) / "float.onnx", Path(folder) / "int8.onnx"
        try:
            onnx.save(model, str(source))
            if inputs is None:
                quantization.quantize_dynamic(
                    str(source), str(target), op_types_to_quantize=MATRICES, per_channel=True
                )
            else:
                quantization.quantize_static(
                    str(source), str(target), _Reader(name, inputs), per_channel=True
                )
        finally:
            logging.getLogger().removeFilter(_quiet)
        smaller = onnx.load(str(target))
    del smaller.metadata_props[:]
    entry = smaller.metadata_props.add()
    entry.key, entry.value = notes.ENTRY, note
    return bytes(smaller.SerializeToString(deterministic=True))


def fold_transposed(model: Any) -> None:
    """Turn weights once that the graph turns at every run: only weights that are used as they are get rounded."""
    from onnx import numpy_helper

    graph = model.graph
    weights = {one.name: one for one in graph.initializer}
    for node in [node for node in graph.node if node.op_type == "Transpose" and node.input[0] in weights]:
        axes = next((list(one.ints) for one in node.attribute if one.name == "perm"), None)
        turned = np.ascontiguousarray(np.transpose(numpy_helper.to_array(weights[node.input[0]]), axes))
        graph.initializer.append(numpy_helper.from_array(turned, node.output[0]))
        graph.node.remove(node)
    used = {name for node in graph.node for name in node.input} | {one.name for one in graph.output}
    for one in [one for one in graph.initializer if one.name not in used]:
        graph.initializer.remove(one)


def _quiet(record: logging.LogRecord) -> bool:
    """Leave out the quantiser's advice to prepare the model first, and what it says of weights without columns."""
    return not any(words in record.getMessage() for words in ("pre-process", "out-of-range"))


class _Reader:
    """Hands the calibration inputs to the quantiser one by one."""

    def __init__(self, name: str, inputs: Sequence[Floats]) -> None:
        self._feeds: Iterator[dict[str, Any]] = ({name: batch} for batch in inputs)

    def get_next(self) -> dict[str, Any] | None:
        """The next input; None at the end."""
        return next(self._feeds, None)


def calibration_inputs(preprocessing: Any, pictures: Sequence[Any]) -> list[Floats]:
    """Network inputs of single pictures."""
    return [np.asarray(preprocessing([picture])) for picture in pictures]
