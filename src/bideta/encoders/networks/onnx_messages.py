"""ONNX models written as protobuf messages: the package onnx takes a tenth of a second to import and check them.

A message is its fields in the order of their numbers (onnx.proto): a key, then a number or so many bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

NUMBER, BYTES = 0, 2  # how protobuf writes a field
FLOAT = 1  # the type of float32 tensors
INTEGER, INTEGERS = 2, 7  # types of attributes
Value = int | str | bytes


def message(*fields: tuple[int, Value]) -> bytes:
    """Fields as (number, value); a repeated field is given several times."""
    parts: list[bytes] = []
    for number, value in fields:
        if isinstance(value, int):
            parts += [_varint(number << 3 | NUMBER), _varint(value)]
        else:
            content = value.encode() if isinstance(value, str) else value
            parts += [_varint(number << 3 | BYTES), _varint(len(content)), content]
    return b"".join(parts)


def tensor(name: str, numbers: NDArray[np.float32]) -> bytes:
    """Numbers that belong to the model."""
    raw = np.ascontiguousarray(numbers, "<f4").tobytes()
    return message(*((1, side) for side in numbers.shape), (2, FLOAT), (8, name), (9, raw))


def node(kind: str, inputs: Sequence[str], output: str, attributes: Mapping[str, int | list[int]]) -> bytes:
    """One operation; its attributes are whole numbers or lists of them."""
    listed = [_attribute(name, attributes[name]) for name in sorted(attributes)]
    return message(*((1, name) for name in inputs), (2, output), (4, kind), *((5, one) for one in listed))


def floats(name: str, shape: Sequence[int | str]) -> bytes:
    """An input or output of float32; a side is a number, or a word where any number will do."""
    sides = message(*((1, message((1 if isinstance(side, int) else 2, side))) for side in shape))
    return message((1, name), (2, message((1, message((1, FLOAT), (2, sides))))))


def model(
    name: str,
    nodes: Sequence[bytes],
    tensors: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
    metadata: Mapping[str, str],
    opset: int,
    ir_version: int,
) -> bytes:
    """The file."""
    parts = {1: nodes, 5: tensors, 11: inputs, 12: outputs}
    graph = [(field, one) for field, some in parts.items() for one in some]
    graph.insert(len(nodes), (2, name.encode()))
    notes = [(14, message((1, key), (2, value))) for key, value in metadata.items()]
    return message((1, ir_version), (7, message(*graph)), (8, message((1, ""), (2, opset))), *notes)


def _attribute(name: str, value: int | list[int]) -> bytes:
    if isinstance(value, int):
        return message((1, name), (3, value), (20, INTEGER))
    return message((1, name), *((8, one) for one in value), (20, INTEGERS))


def _varint(value: int) -> bytes:
    """Seven bits at a time, the lowest first."""
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)
