"""EfficientNet-Lite0 as an ONNX graph, written from its weights without torch and without onnx.

Every normalisation is folded into the convolution before it: (w ∗ x − mean) · scale + bias = (w · scale) ∗ x + rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.encoders.networks import onnx_messages as onnx

Arrays = Mapping[str, NDArray[Any]]

# (repeats, kernel, stride of the first, expansion, channels out) of each stage: Table 1 of EfficientNet, width 1.
STAGES = (
    (1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192), (1, 3, 1, 6, 320),
)  # fmt: skip
STEM, HEAD = 32, 1280  # channels
SIZE = 224  # pixels: every strided layer sees an even side, so that padding is the same everywhere
EPSILON = 1e-3  # of the normalisations
OPSET, IR_VERSION = 17, 8  # which onnxruntime 1.17 knows


def onnx_bytes(weights: Arrays, metadata: dict[str, str]) -> bytes:
    """The model file: ``frames`` (N, 3, 224, 224) → ``readout_1`` (N, 320) and ``readout_2`` (N, 1280)."""
    graph = _Graph(weights)
    x = graph.relu6(graph.convolution("frames", "_conv_stem", "_bn0", 3, stride=2))
    block, channels = 0, STEM
    for repeats, kernel, stride, expansion, out in STAGES:
        for repeat in range(repeats):
            x = graph.block(
                x, f"_blocks.{block}.", kernel, 1 if repeat else stride, expansion, channels == out
            )
            block, channels = block + 1, out
    graph.mean(x, "readout_1")
    graph.mean(graph.relu6(graph.convolution(x, "_conv_head", "_bn1", 1)), "readout_2")
    return graph.model(metadata)


class _Graph:
    """Nodes in order and the numbers they use; each layer returns the name of its output."""

    def __init__(self, weights: Arrays) -> None:
        self._weights = weights
        self._nodes: list[bytes] = []
        bounds = (("zero", 0), ("six", 6))
        self._numbers = [onnx.tensor(name, np.array(value, np.float32)) for name, value in bounds]

    def block(self, x: str, prefix: str, kernel: int, stride: int, expansion: int, same_width: bool) -> str:
        """An inverted bottleneck (MBConv): widen, filter each channel, narrow; added to its input where both fit."""
        y = x
        if expansion > 1:
            y = self.relu6(self.convolution(y, f"{prefix}_expand_conv", f"{prefix}_bn0", 1))
        y = self.relu6(self.convolution(y, f"{prefix}_depthwise_conv", f"{prefix}_bn1", kernel, stride))
        y = self.convolution(y, f"{prefix}_project_conv", f"{prefix}_bn2", 1)
        return self._node("Add", [y, x]) if stride == 1 and same_width else y

    def convolution(self, x: str, layer: str, norm: str, kernel: int, stride: int = 1) -> str:
        """A convolution with its normalisation; TensorFlow's padding, odd pixels to the right and below."""
        weight = self._weights[f"{layer}.weight"]
        scale, bias, mean, variance = (
            self._weights[f"{norm}.{part}"].astype(np.float64)
            for part in ("weight", "bias", "running_mean", "running_var")
        )
        scale /= np.sqrt(variance + EPSILON)
        folded = (weight * scale[:, None, None, None]).astype(np.float32)
        for name, numbers in (
            (f"{layer}.w", folded),
            (f"{layer}.b", (bias - mean * scale).astype(np.float32)),
        ):
            self._numbers.append(onnx.tensor(name, numbers))
        before, after = (kernel - stride) // 2, (kernel - stride + 1) // 2
        groups = len(weight) if weight.shape[1] == 1 else 1
        return self._node(
            "Conv", [x, f"{layer}.w", f"{layer}.b"], kernel_shape=[kernel, kernel], strides=[stride, stride],
            pads=[before, before, after, after], group=groups,
        )  # fmt: skip

    def relu6(self, x: str) -> str:
        """Values cut to 0 … 6."""
        return self._node("Clip", [x, "zero", "six"])

    def mean(self, x: str, name: str) -> None:
        """The mean over the picture, as output ``name``."""
        self._node("ReduceMean", [x], name, axes=[2, 3], keepdims=0)

    def model(self, metadata: dict[str, str]) -> bytes:
        """Everything as one model."""
        widths = {"readout_1": STAGES[-1][-1], "readout_2": HEAD}
        return onnx.model(
            "efficientnet-lite0",
            self._nodes,
            self._numbers,
            [onnx.floats("frames", ["batch", 3, SIZE, SIZE])],
            [onnx.floats(name, ["batch", width]) for name, width in widths.items()],
            metadata,
            OPSET,
            IR_VERSION,
        )

    def _node(self, kind: str, inputs: list[str], output: str = "", **attributes: int | list[int]) -> str:
        output = output or f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(onnx.node(kind, inputs, output, attributes))
        return output
