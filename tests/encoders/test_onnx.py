"""`onnx:<file>`, and the export that writes such files: agreement with torch, and files that cannot be meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from bideta.cli import build
from bideta.encoders.checkpoints.embedded import WEIGHTS
from bideta.encoders.runners.onnx_content import check_content
from bideta.plugins import load_encoder
from support.releases import tiny_onnx


def test_an_embedded_file_gives_the_embedded_encoders_numbers(frames: NDArray[np.uint8]) -> None:
    twin = load_encoder("twin-tvl", threads=1)
    settings = {"mean": twin.preprocessing.mean, "std": twin.preprocessing.std}
    ours = load_encoder(f"onnx:{WEIGHTS / 'twin-tvl.onnx'}", channels=3, threads=1, **settings)
    assert ours.fingerprint == twin.fingerprint
    assert ours.info.readouts == twin.info.readouts
    assert ours.info.input_size == 64
    for a, b in zip(ours.encode(frames), twin.encode(frames), strict=True):
        np.testing.assert_array_equal(a, b)


def test_six_channels_are_two_frames(frames: NDArray[np.uint8]) -> None:
    ours = load_encoder(f"onnx:{WEIGHTS / 'twin-sparsh.onnx'}", threads=1)
    twin = load_encoder("twin-sparsh", threads=1)
    np.testing.assert_array_equal(
        ours.encode(frames[:1], frames[1:])[1], twin.encode(frames[:1], frames[1:])[1]
    )


def test_settings_and_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    file = WEIGHTS / "twin-tvl.onnx"
    with pytest.raises(ValueError, match=r"Name it after the colon, as in onnx:encoder.onnx"):
        load_encoder("onnx")
    with pytest.raises(FileNotFoundError, match="no such file; write one with `bideta encoders export"):
        load_encoder("onnx:nowhere.onnx")
    with pytest.raises(ValueError, match=r"twin-tvl.onnx takes 3 channels, expected 6"):
        load_encoder(f"onnx:{file}", channels=6)
    with pytest.raises(ValueError, match="give both or neither"):
        load_encoder(f"onnx:{file}", mean=(0.5, 0.5, 0.5))
    with pytest.raises(ValueError, match="expected 3 numbers"):
        load_encoder(f"onnx:{file}", mean=(0.5,), std=(0.5, 0.5, 0.5))
    (tmp_path / "text.onnx").write_text("not a model")
    with pytest.raises(ValueError, match=r"text.onnx is not an ONNX model that onnxruntime can run"):
        load_encoder(f"onnx:{tmp_path / 'text.onnx'}")


@pytest.mark.parametrize(
    ("input_shape", "outputs", "message"),
    [
        (["n", 3, 8, 8], [("n", 3, 8, 8)], "has 1 inputs and 1 outputs, expected 1"),
        (["n", 3, 8, 8], [("n", 3, 8, 8)] * 2, r"expected \(batch, d\); pool the tokens before export"),
        (["n", 3, "h", "w"], [("n", 3)] * 2, "with a fixed, square size"),
        (["n", 3, 8, 6], [("n", 3)] * 2, "with a fixed, square size"),
        ([1, 3, 8, 8], [(1, 3)] * 2, "takes exactly 1 frames at a time"),
        (["n", 1, 8, 8], [("n", 1)] * 2, "takes 1 channels, expected 3"),
    ],
)
def test_models_of_another_shape_say_what_is_wrong(
    tmp_path: Path, input_shape: list[Any], outputs: list[tuple[Any, ...]], message: str
) -> None:
    path = written(tmp_path / "model.onnx", input_shape, outputs)
    with pytest.raises(ValueError, match=message):
        load_encoder(f"onnx:{path}")


def test_widths_the_file_does_not_tell_are_measured(tmp_path: Path, frames: NDArray[np.uint8]) -> None:
    path = written(tmp_path / "model.onnx", ["n", 3, 8, 8], [("n", "d"), ("n", "e")])
    encoder = load_encoder(f"onnx:{path}")
    assert encoder.info.readouts == (3, 3)
    first, _ = encoder.encode(frames)
    assert first.shape == (2, 3)
    assert 0 <= first.min() <= first.max() <= 1  # no statistics given: scaled only


def written(path: Path, input_shape: list[Any], outputs: list[tuple[Any, ...]]) -> Path:
    """A model that averages over space (2-D outputs) or copies its input (4-D outputs)."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed (extra export)")
    helper, floats = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [
        helper.make_node(
            "Constant", [], ["axes"], value=helper.make_tensor("a", onnx.TensorProto.INT64, [2], [2, 3])
        )
    ]
    for i, shape in enumerate(outputs):
        kind = "ReduceMean" if len(shape) == 2 else "Identity"
        extra: dict[str, Any] = {"keepdims": 0} if len(shape) == 2 else {}
        nodes.append(helper.make_node(kind, ["x", "axes"] if extra else ["x"], [f"y{i}"], **extra))
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", floats, input_shape)],
        [helper.make_tensor_value_info(f"y{i}", floats, shape) for i, shape in enumerate(outputs)],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    path.write_bytes(model.SerializeToString())
    return path


def test_the_command_line_lists_every_encoder_and_its_licence() -> None:
    result = CliRunner().invoke(build(), ["encoders", "--long"])
    assert result.exit_code == 0, result.output
    for text in (
        "tvl", "sparsh", "21,961,344", "21,894,144", "384 + 768", "224×224×6", "CC BY-NC 4.0", "onnx:<file>",
        "timm:<model>", "efficientnet-lite0", "320 + 1280", "twin-tvl", "part of the package", "dino_vitsmall",
    ):  # fmt: skip
        assert text in result.output


def test_the_command_line_exports_only_what_needs_it(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        build(), ["encoders", "export", "twin-tvl", "--onnx", str(tmp_path / "x.onnx")]
    )
    assert isinstance(result.exception, ValueError)
    assert "already runs without torch" in str(result.exception)


def test_settings_of_the_command_line_reach_the_encoder_that_is_exported(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="tvl is run by torch (extra torch)")
    pytest.importorskip("onnxscript", reason="export needs onnxscript (extra export)")
    export = ["encoders", "export", "--onnx", str(tmp_path / "x.onnx"), "--set", "pad_and_rotate=true"]
    turned = CliRunner().invoke(build(), [*export, "--set", "random_weights=true", "tvl"])
    assert isinstance(turned.exception, ValueError)
    assert "only a plain preprocessing" in str(turned.exception)  # which is tvl's own without that setting
    assert "pad_and_rotate=True" in str(turned.exception)
    refused = CliRunner().invoke(build(), [*export, "twin-tvl"])
    assert "--set is for encoders that torch runs" in str(refused.exception)


def test_weights_in_other_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    onnx = pytest.importorskip("onnx")
    path = tiny_onnx(tmp_path / "tiny.onnx")
    whole = load_encoder(f"onnx:{path}").encode(np.zeros((1, 8, 8, 3), np.uint8))
    assert len(whole) == 2
    onnx.save(
        onnx.load(path),
        tmp_path / "split.onnx",
        save_as_external_data=True,
        location="w.bin",
        size_threshold=0,
    )
    assert (tmp_path / "w.bin").exists()
    monkeypatch.chdir(tmp_path)  # where onnxruntime would find them
    with pytest.raises(ValueError, match=r"split\.onnx keeps weights in other files .*save it as one file"):
        load_encoder("onnx:split.onnx")


def test_weights_of_inner_graphs_in_other_files_are_refused() -> None:
    onnx = pytest.importorskip("onnx")
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[1], data_location=onnx.TensorProto.EXTERNAL)
    inner = onnx.helper.make_graph(
        [onnx.helper.make_node("Constant", [], ["c"], value=tensor)], "inner", [], []
    )
    node = onnx.helper.make_node("If", ["x"], ["y"], then_branch=inner)
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "outer", [], []))
    with pytest.raises(ValueError, match="keeps weights in other files"):
        check_content(model.SerializeToString(), "nested.onnx")


@pytest.mark.parametrize(
    "note",
    [
        "[" * 50_000,
        "[]",
        '{"title": 3}',
        '{"mean": 3}',
        '{"mean": [0, 0, 0], "std": [0, 0, 0]}',
        '{"std": "abc"}',
        '{"resize": "torch-bilinear"}',
        '{"resize": ["pil-bicubic"]}',
        '{"shorter": 1e9}',
        '{"shorter": true}',
        '{"shorter": 1000000000}',
        '{"shorter": -1}',
        "{",
    ],
)
def test_notes_that_make_no_sense_are_refused(tmp_path: Path, note: str) -> None:
    onnx = pytest.importorskip("onnx")
    path = tiny_onnx(tmp_path / "tiny.onnx")
    model = onnx.load(path)
    entry = model.metadata_props.add()
    entry.key, entry.value = "bideta", note
    onnx.save(model, path)
    with pytest.raises(ValueError, match=r"notes|expected 3 numbers|above zero|pixels out of"):
        load_encoder(f"onnx:{path}")
