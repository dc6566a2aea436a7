"""``bideta encoders export NAME --onnx FILE --precision int8``."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bideta.cli._table import check_place
from bideta.cli._terminal import note
from bideta.encoders.checkpoints import notes
from bideta.encoders.checkpoints.embedded import WEIGHTS
from bideta.encoders.checkpoints.int8 import calibration_inputs, quantised
from bideta.encoders.runners.onnx import OnnxEncoder
from bideta.images.files import write_atomic
from bideta.images.folders import find_images
from bideta.images.lazy import ImageFiles
from bideta.images.reading import shown
from bideta.plugins import find, load_encoder
from bideta.service.faster_encoder import LOSS, compare

PICTURES = 64  # of the calibration: more change the ranges little


def export_int8(name: str, target: Path, calibration: Path | None, settings: Mapping[str, Any]) -> None:
    """Write the file, if it is good enough."""
    check_place(target)
    with tempfile.TemporaryDirectory() as folder:
        before, source = float_encoder(name, Path(folder), settings)
        inputs = None
        if calibration is not None:
            pictures = ImageFiles(find_images(calibration)[:PICTURES])[:]
            inputs = calibration_inputs(before.preprocessing, pictures)
        content = quantised(source.read_bytes(), notes.write(before.info, before.preprocessing), inputs)
        trial = Path(folder) / "int8.onnx"
        trial.write_bytes(content)
        measured = compare(before, load_encoder(f"onnx:{trial}", threads=1))
        note(str(measured))
        if measured.loss > LOSS:
            hint = "other pictures" if calibration else "--calibration DIR with pictures of the sensor"
            raise ValueError(
                f"int8 costs {100 * measured.loss:.1f} points on the twin, at most {100 * LOSS:g} is allowed; nothing "
                f"was written. Try {hint}"
            )
        sizes = source.stat().st_size / 1e6, len(content) / 1e6
    write_atomic(target, content)
    note(f"{shown(target)}: {sizes[0]:.1f} → {sizes[1]:.1f} MB. Load it as onnx:{shown(target)}")


def float_encoder(name: str, folder: Path, settings: Mapping[str, Any]) -> tuple[OnnxEncoder, Path]:
    """The encoder as onnxruntime runs it, and its file: exported from torch, or the one that it is run from."""
    family, _, argument = name.partition(":")
    if find("encoder", name).INFO.run_by == "torch":
        from bideta.encoders.checkpoints.export import export

        export(load_encoder(name, **{"device": "cpu", **settings}), folder / "float.onnx")
        name, file = f"onnx:{folder / 'float.onnx'}", folder / "float.onnx"
    else:
        file = Path(argument) if family == "onnx" else WEIGHTS / f"{family}.onnx"
    if not file.is_file():
        raise ValueError(
            f"{name} is not run from an ONNX file; expected tvl, sparsh, t3, timm:<model>, twin-… or onnx:FILE"
        )
    encoder: OnnxEncoder = load_encoder(name, threads=1)
    return encoder, file
