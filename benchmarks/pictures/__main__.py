"""``python -m benchmarks.pictures [--quick] [--results FILE] [--encoder NAME …]``: measure, print, write JSON."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.measuring.machine import circumstances, facts
from benchmarks.measuring.results import FOLDER
from benchmarks.pictures import pipeline, ready
from bideta.images.files import write_atomic
from bideta.plugins import load_encoder
from bideta.service.choices import DEFAULT_ENCODER

SIZE = (640, 480)
CLASSES, LABELLED, ASKED = 3, 6, 10
MANY, QUICK = 4000, 8  # JPEGs for the pipeline


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure both, for every encoder."""
    parser = argparse.ArgumentParser(prog="benchmarks.pictures", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a few pictures, so that the program does not rot"
    )
    parser.add_argument("--encoder", action="append", help="may be repeated")
    parser.add_argument("--results", type=Path, default=FOLDER / "pictures.json")
    options = parser.parse_args(arguments)
    record: dict[str, Any] = {"machine": facts(), "circumstances": circumstances(), "encoders": {}}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        paths = draw(home, QUICK if options.quick else MANY)
        for name in options.encoder or ["handmade", DEFAULT_ENCODER]:
            repeats = 1 if options.quick else 3
            measured = {
                "ready": ready.measure(home / "support", home / "queries", home, name, repeats),
                "pipeline": pipeline.measure(load_encoder(name), paths, repeats),
            }
            record["encoders"][name] = measured
            print(
                f"{name}: {ASKED} pictures in {measured['ready']['predict']:.2f} s of processor time; ",
                end="",
            )
            print(f"{len(paths)} JPEGs in {measured['pipeline']['ratio']:.2f} × the slower half")
    write_atomic(options.results, (json.dumps(record, indent=1) + "\n").encode())


def draw(home: Path, many: int) -> list[Path]:
    """Labelled contacts, queries, and many more of them, as JPEGs; the many are returned."""
    rng = np.random.default_rng(0)
    for c in range(CLASSES):
        shape = rng.integers(0, 256, (6, 8, 3), dtype=np.uint8)
        for i in range(LABELLED):
            save(shape, rng, home / "support" / f"class {c}" / f"{i}.jpg")
    for i in range(ASKED):
        save(shape, rng, home / "queries" / f"{i}.jpg")
    paths = [home / "many" / f"{i}.jpg" for i in range(many)]
    for path in paths:
        save(shape, rng, path)
    return paths


def save(shape: np.ndarray, rng: np.random.Generator, path: Path) -> None:
    """The shape, blurred and with noise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    smooth = np.asarray(Image.fromarray(shape).resize(SIZE, Image.Resampling.BICUBIC), np.int16)
    noisy = smooth + rng.integers(-12, 13, smooth.shape, dtype=np.int16)
    Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(path, quality=90)


if __name__ == "__main__":
    main()
