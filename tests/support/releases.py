"""Tiny trees in the releases' layouts, written by the simulated twins, and a tiny encoder to read them with."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bideta.datasets.simulated.release import write_release
from bideta.encoders import EncoderInfo
from bideta.plugins import load_dataset

TINY = {"scale": 0.005, "size": 16}
WEIGHTS = Path(load_dataset.__globals__["__file__"]).parent / "encoders" / "weights"


def write(name: str, root: Path, **settings: object) -> Path:
    write_release(load_dataset(f"simulated-{name}", **{**TINY, **settings}), root)
    return root


def tiny_onnx(path: Path, seed: int = 0) -> Path:
    """An ONNX file that fits the encoder ``twin-tvl``: mean colours on a grid, and a random projection of them."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(seed)
    projection = rng.normal(size=(48, 24)).astype(np.float32)
    nodes = [
        helper.make_node("AveragePool", ["x"], ["grid"], kernel_shape=[16, 16], strides=[16, 16]),
        helper.make_node("Flatten", ["grid"], ["h1"]),
        helper.make_node("MatMul", ["h1", "W"], ["h2"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, 64, 64])],
        [helper.make_tensor_value_info(f"h{v}", TensorProto.FLOAT, ["n", d]) for v, d in ((1, 48), (2, 24))],
        [numpy_helper.from_array(projection, "W")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(path))
    return path


class CountingEncoder:
    """Readouts in plain numpy; remembers how many frames it was given."""

    def __init__(self, fingerprint: str = "counting", channels: int = 3) -> None:
        self.info = EncoderInfo("counting", "mean colours", 16, channels, (3, 2))
        self.fingerprint = fingerprint
        self.seen = 0

    def encode(self, images, previous=None, batch_size=64):
        first, second = [np.zeros((0, 3), np.float32)], [np.zeros((0, 2), np.float32)]
        for start in range(0, len(images), batch_size):
            batch = images[start : start + batch_size]
            self.seen += len(batch)
            colours = np.stack([np.asarray(picture).mean(axis=(0, 1)) for picture in batch])
            before = (
                colours
                if previous is None
                else np.stack(
                    [
                        np.asarray(picture).mean(axis=(0, 1))
                        for picture in previous[start : start + batch_size]
                    ]
                )
            )
            first.append(colours.astype(np.float32))
            second.append((colours - before)[:, :2].astype(np.float32))
        return np.concatenate(first), np.concatenate(second)
