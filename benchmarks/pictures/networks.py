"""ViT-S on a CPU: torch beside onnxruntime in float32 and in eight bits, one thread, on the twin's contacts.

The network is TVL's with random weights: time does not depend on them, and readouts of random weights are what
rounding disturbs most. ``bideta encoders export NAME --onnx FILE --precision int8`` measures the same with the user's
weights.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from bideta.plugins import load_dataset, load_encoder
from bideta.service.faster_encoder import BATCH, SCALE, SENSOR, compare

MODEL, TINY = "tvl", "tvl:tiny"  # ViT-S, and a small one for the quick version
CALIBRATION = 64  # labelled contacts


def measure(home: Path, *, quick: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """(way, its numbers): milliseconds of a picture, what comes before the second batch, cosines and accuracy."""
    import torch

    torch.set_num_threads(1)
    model = TINY if quick else MODEL
    begun = perf_counter()
    before = load_encoder(model, random_weights=True, device="cpu", threads=1)
    starts = perf_counter() - begun
    frames = load_dataset("simulated-sitr", scale=SCALE).frames(SENSOR, "train")
    first = frames.images[:BATCH]
    for name, content in files(before, exported(home, model)[0].read_bytes(), frames).items():
        path = home / f"{name}.onnx"
        path.write_bytes(content)
        begun = perf_counter()
        after = load_encoder(f"onnx:{path}", threads=1)
        opened = perf_counter() - begun
        fixed = {}
        for way, encoder in (("torch", before), (name, after)):
            begun = perf_counter()
            encoder.encode(first)
            fixed[way] = perf_counter() - begun
        found = compare(before, after)
        yield (
            name,
            {
                "milliseconds": dict(zip(("torch", "this"), found.milliseconds, strict=True)),
                "accuracy": dict(zip(("torch", "this"), found.accuracy, strict=True)),
                "cosine": found.agreement,
                "opening_s": {"torch": starts, "this": opened},
                "first_batch_s": {"torch": fixed["torch"], "this": fixed[name]},
                "bytes": len(content),
            },
        )


def files(encoder: Any, content: bytes, frames: Any) -> dict[str, bytes]:
    """The network as ONNX files, by the way that they are run."""
    from bideta.encoders.checkpoints import notes
    from bideta.encoders.checkpoints.int8 import calibration_inputs, quantised

    note = notes.write(encoder.info, encoder.preprocessing)
    rows = range(0, len(frames), max(1, len(frames) // CALIBRATION))
    labelled = [frames.images[row] for row in list(rows)[:CALIBRATION]]
    inputs = calibration_inputs(encoder.preprocessing, labelled)
    return {
        "onnxruntime, float32": content,
        "onnxruntime, int8, dynamic": quantised(content, note),
        "onnxruntime, int8, calibrated": quantised(content, note, inputs),
    }


def available() -> bool:
    """Whether ViT-S can be made and exported here."""
    return all(importlib.util.find_spec(name) for name in ("torch", "onnx", "onnxscript"))


def exported(home: Path, model: str = MODEL) -> tuple[Path, Any]:
    """The network with the weights of seed 0 as an ONNX file, and its preprocessing."""
    from bideta.encoders.checkpoints.export import export

    file = home / f"{model.replace(':', '-')}.onnx"
    encoder = load_encoder(model, random_weights=True, device="cpu", threads=1)
    if not file.is_file():
        export(encoder, file)
    return file, encoder.preprocessing
