"""What an ONNX file may hold: its weights. One that names other files ("external data") is refused.

onnxruntime would read them from the working folder, and the fingerprint would not notice another content. The file is
walked as protobuf, for the package onnx is not needed to run encoders.
"""

from __future__ import annotations

from collections.abc import Iterator

MESSAGES = {  # of onnx.proto: field number → message, for every way that leads to a tensor
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {},
}
EXTERNAL_DATA, DATA_LOCATION = 13, 14  # fields of a tensor
DEPTH = 60  # graphs inside graphs, five messages each
VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5  # how protobuf writes a field


def check_content(content: bytes, name: str) -> None:
    """Raise unless all weights of the model are in the file itself."""
    waiting = [(memoryview(content), "model", 0)]
    while waiting:
        message, kind, depth = waiting.pop()
        if depth > DEPTH:
            raise ValueError(
                f"{name} is not an ONNX model that onnxruntime can run: graphs nested too deeply"
            )
        for field, value in _fields(message, name):
            if kind == "tensor" and (field == EXTERNAL_DATA or (field == DATA_LOCATION and value == 1)):
                raise ValueError(
                    f"{name} keeps weights in other files (external data), which its fingerprint would not cover; save "
                    "it as one file: onnx.save(onnx.load(FILE), FILE)"
                )
            if field in MESSAGES[kind] and isinstance(value, memoryview):
                waiting.append((value, MESSAGES[kind][field], depth + 1))


def _fields(message: memoryview, name: str) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of every field: an integer, or the bytes of what has a length."""
    place = 0
    try:
        while place < len(message):
            key, place = _varint(message, place)
            kind = key & 7
            value: int | memoryview = 0
            if kind == VARINT:
                value, place = _varint(message, place)
            elif kind == LENGTH:
                length, place = _varint(message, place)
                value = message[place : place + length]
                place += length
            elif kind in (FIXED64, FIXED32):
                place += 8 if kind == FIXED64 else 4
            else:
                raise IndexError
            if place > len(message):
                raise IndexError
            yield key >> 3, value
    except IndexError:
        raise ValueError(
            f"{name} is not an ONNX model that onnxruntime can run: damaged, or another kind of file"
        ) from None


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
        if shift > 63:
            raise IndexError
