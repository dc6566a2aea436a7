"""ONNX encoders: flipped bits, other shapes and types, notes of any kind, weights in other files."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attacks.tally import Tally
from attacks.worker import judged
from support.releases import tiny_onnx

FRAMES = np.random.default_rng(0).integers(0, 255, (2, 20, 24, 3), dtype=np.uint8)
VALUES: tuple[Any, ...] = (
    None,
    True,
    3,
    -1,
    1e308,
    "x",
    [],
    [1],
    [1, 2, 3],
    ["a"] * 3,
    [1e308] * 3,
    [0, 0, 0],
    {},
    [[1]],
)
NOTES = ("title", "licence", "reference", "url", "tactile", "parameters", "mean", "std")
SIDES = (0, -1, 1, 7, 64, 65, 10**4, 10**6, 2**40)


@cache
def original() -> bytes:
    """A small encoder."""
    with tempfile.TemporaryDirectory() as folder:
        return tiny_onnx(Path(folder, "tiny.onnx")).read_bytes()


def changed(rng: np.random.Generator) -> bytes:
    """A well-formed model that is hostile."""
    import onnx

    model = onnx.load_from_string(original())
    kind = int(rng.integers(6))
    if kind == 0:
        shape = model.graph.input[0].type.tensor_type.shape.dim
        shape[int(rng.integers(len(shape)))].dim_value = int(rng.choice(SIDES))
    elif kind == 1:
        part = [*model.graph.input, *model.graph.output][int(rng.integers(3))]
        part.type.tensor_type.elem_type = int(rng.integers(0, 25))
    elif kind == 2:
        tensor = model.graph.initializer[0]
        tensor.data_location = onnx.TensorProto.EXTERNAL
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", str(rng.choice(["weights.bin", "/etc/passwd", "../x", ""]))
    elif kind == 3:
        entry, deep = model.metadata_props.add(), int(rng.integers(10**3, 10**5))
        note = {str(rng.choice(NOTES)): VALUES[int(rng.integers(len(VALUES)))] for _ in range(3)}
        texts = (
            json.dumps(note),
            "[" * deep + "]" * deep,
            '{"mean":' * deep + "1" + "}" * deep,
            "{",
            "\x1b[2J",
        )
        entry.key, entry.value = "bideta", texts[int(rng.integers(len(texts))) if rng.random() < 0.4 else 0]
    elif kind == 4:
        tensor = model.graph.initializer[0]
        tensor.dims[int(rng.integers(2))] = int(rng.choice([0, 1, 10**3, 2**31, 2**60]))
    else:
        node = model.graph.node[int(rng.integers(3))]
        node.op_type = str(
            rng.choice(["Identity", "Shape", "Size", "Flatten", "ReduceMean", "NoSuch", "Loop"])
        )
    return model.SerializeToString()


def cases(rng: np.random.Generator, tries: int) -> Iterator[bytes]:
    """Half damaged, half well-formed."""
    for number in range(tries):
        if number % 2:
            yield changed(rng)
            continue
        altered = bytearray(original())
        for place in rng.integers(0, len(altered) if rng.random() < 0.3 else 400, int(rng.integers(1, 4))):
            altered[place] ^= 1 << int(rng.integers(8))
        yield bytes(altered[: int(rng.integers(len(altered)))] if rng.random() < 0.1 else altered)


def answer(content: bytes) -> None:
    """Load the encoder and encode two frames: two float32 readouts of the widths that it says."""
    from bideta.plugins import load_encoder

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "attack.onnx")
        path.write_bytes(content)
        encoder = load_encoder(f"onnx:{path}", threads=1)
        readouts = encoder.encode(FRAMES)
    assert [H.shape for H in readouts] == [(2, width) for width in encoder.info.readouts]
    assert all(H.dtype == np.float32 for H in readouts)


def warm_up() -> None:
    """Load what the first answer loads."""
    answer(original())


def attack(rng: np.random.Generator, tries: int) -> Tally:
    """Damage and hostile models."""
    return judged("onnx_files", cases(rng, tries), answer)
