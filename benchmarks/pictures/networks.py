"""ViT-S on a CPU: torch beside onnxruntime in float32 and in eight bits, one thread, in turns.

The network is TVL's, with random weights: time does not depend on them.
Whether eight bits are good enough does: ``bideta encoders export NAME --onnx FILE --int8`` measures that on the twin.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

MODEL = "tvl"  # ViT-S
PICTURES, ROUNDS = 8, 3


def measure(home: Path, *, quick: bool) -> dict[str, Any]:
    """Milliseconds of a picture each way, seconds until the first answer, and cosines with torch's readouts."""
    import torch

    from bideta.encoders.checkpoints import notes
    from bideta.encoders.checkpoints.int8 import calibration_inputs, quantised
    from bideta.plugins import load_encoder

    model = "tvl:tiny" if quick else MODEL
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 256, (PICTURES, 14, 14, 3), dtype=np.uint8)
    frames = coarse.repeat(16, axis=1).repeat(16, axis=2)
    begun = perf_counter()
    encoder = load_encoder(model, random_weights=True, device="cpu", threads=1)
    starts = {"torch": perf_counter() - begun}
    note = notes.write(encoder.info, encoder.preprocessing)
    content = exported(home, model)[0].read_bytes()
    files = {
        "onnxruntime float32": content,
        "onnxruntime int8, dynamic": quantised(content, note),
        "onnxruntime int8, calibrated": quantised(
            content, note, calibration_inputs(encoder.preprocessing, frames)
        ),
    }
    ways: dict[str, Any] = {"torch": encoder}
    for name, bytes_ in files.items():
        path = home / f"{name}.onnx"
        path.write_bytes(bytes_)
        begun = perf_counter()
        ways[name] = load_encoder(f"onnx:{path}", threads=1)
        starts[name] = perf_counter() - begun
    few = frames[: 2 if quick else PICTURES]
    answers, first, taken = {}, {}, {name: [] for name in ways}
    for turn in range(1 if quick else ROUNDS + 1):
        for name, way in ways.items():
            begun = perf_counter()
            answers[name] = way.encode(few)
            spent = 1000 * (perf_counter() - begun) / len(few)
            first.setdefault(name, spent)
            if turn or quick:
                taken[name].append(spent)
    reference = answers["torch"]
    return {
        "model": model,
        "ways": {
            name: {
                "ms": min(taken[name]),
                "first_ms": first[name],
                "start_s": starts[name],
                "bytes": len(files[name]) if name in files else 4 * encoder.info.parameters,
                "cosine": [_cosine(a, b) for a, b in zip(reference, answers[name], strict=True)],
            }
            for name in ways
        },
    }


def available() -> bool:
    """Whether ViT-S can be made and exported here."""
    return all(importlib.util.find_spec(name) for name in ("torch", "onnx", "onnxscript"))


def exported(home: Path, model: str = MODEL) -> tuple[Path, Any]:
    """The network with the weights of seed 0 as an ONNX file, and its preprocessing."""
    from bideta.encoders.checkpoints.export import export
    from bideta.plugins import load_encoder

    file = home / f"{model.replace(':', '-')}.onnx"
    encoder = load_encoder(model, random_weights=True, device="cpu", threads=1)
    if not file.is_file():
        export(encoder, file)
    return file, encoder.preprocessing


def _cosine(a: Any, b: Any) -> float:
    """Mean cosine of the rows, both from the mean of the first: what all pictures share says nothing."""
    middle = a.mean(axis=0)
    a, b = a - middle, b - middle
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return float(((a * b).sum(axis=1) / lengths).mean())
