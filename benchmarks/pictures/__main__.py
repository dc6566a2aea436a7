"""``python -m benchmarks.pictures [PART …] [--quick] [--encoder NAME …]``: measure, print, write pictures.json.

Parts: ready (ten pictures), pipeline (4,000 JPEGs), one core (the encoder alone), networks (torch, onnxruntime and
int8), beside (the program that one would write), whole (growth of the command). Each is kept in the results until it
is measured again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.measuring.machine import circumstances, facts
from benchmarks.measuring.results import FOLDER
from benchmarks.pictures import beside, networks, one_core, pipeline, ready, whole
from bideta.encoders import efficientnet_lite0, twin_tvl
from bideta.encoders.checkpoints.embedded import WEIGHTS
from bideta.encoders.runners.preprocessing import Preprocessing
from bideta.images.files import write_atomic
from bideta.plugins import load_encoder
from bideta.service.choices import DEFAULT_ENCODER

SIZE = (640, 480)
CLASSES, LABELLED, ASKED = 3, 6, 10
MANY, QUICK = 4000, 8  # JPEGs for the pipeline
COUNTS = (100, 1000, 10_000)  # pictures, from folder to table
LARGE = (1000, 3000, 10_000, 30_000, 100_000)  # contacts of a whole command
PARTS = ("ready", "pipeline", "one core", "networks", "beside", "whole")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the named parts, or all."""
    parser = argparse.ArgumentParser(prog="benchmarks.pictures", description=__doc__)
    parser.add_argument("part", nargs="*", help=f"some of {', '.join(PARTS)}")
    parser.add_argument(
        "--quick", action="store_true", help="a few pictures, so that the program does not rot"
    )
    parser.add_argument("--encoder", action="append", help="may be repeated")
    parser.add_argument("--count", action="append", type=int, help="pictures or contacts; may be repeated")
    parser.add_argument("--home", type=Path, help="folder that keeps the pictures for the next run")
    parser.add_argument("--results", type=Path, default=FOLDER / "pictures.json")
    options = parser.parse_args(arguments)
    parts: list[str] = options.part or list(PARTS)
    quick: bool = options.quick
    record: dict[str, Any] = json.loads(options.results.read_text()) if options.results.is_file() else {}

    def keep(part: str, name: str, measured: Any, said: str) -> None:
        section = record.setdefault(
            part, {"machine": facts(), "circumstances": circumstances(), "results": {}}
        )
        section.update(machine=facts(), circumstances=circumstances())
        section["results"][name] = measured
        options.results.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(options.results, (json.dumps(record, indent=1) + "\n").encode())
        print(f"{part}, {name}: {said}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder)
        measure(parts, options.encoder, options.count, home, keep, quick=quick)


def measure(
    parts: Sequence[str],
    encoders: Sequence[str] | None,
    counts: Sequence[int] | None,
    home: Path,
    keep: Callable[[str, str, Any, str], None],
    *,
    quick: bool,
) -> None:
    """Every part, handed on as it is done."""
    repeats = 1 if quick else 3
    beside_counts = counts or ((QUICK,) if quick else COUNTS)
    needed = max(
        [QUICK if quick else MANY] * ("pipeline" in parts) + [*beside_counts] * ("beside" in parts) + [0]
    )
    paths = draw(home, needed)
    for name in encoders or ["handmade", DEFAULT_ENCODER]:
        if "ready" in parts:
            taken = ready.measure(home / "support", home / "queries", home, name, repeats)
            keep("ready", name, taken, f"{ASKED} pictures in {taken['predict']:.2f} s of processor time")
        if "pipeline" in parts:
            some = paths[: QUICK if quick else MANY]
            taken = pipeline.measure(load_encoder(name), some, 1)
            keep("pipeline", name, taken, f"{len(some)} JPEGs in {taken['ratio']:.2f} × the slower half")
    if "beside" in parts:
        for name, (mine, theirs) in rivals(home, encoders).items():
            for count in beside_counts:
                turns = 1 if quick or count >= 1000 else repeats
                taken = beside.measure(home / "support", paths, home, mine, theirs, count, turns)
                keep(
                    "beside", f"{name} | {count}", taken, f"{taken['ratio']:.2f}×, {taken['equal']:.2%} equal"
                )
    if "whole" in parts:
        for count in counts or ((200, 400) if quick else LARGE):
            taken = whole.measure(home, count)
            keep("whole", str(count), taken, f"{taken['wall']:.1f} s, {taken['peak_bytes'] / 1e6:.0f} MB")
    if "one core" in parts:
        for name in encoders or ["handmade", "efficientnet-lite0", DEFAULT_ENCODER]:
            ms = one_core.measure(name, sorted((home / "support").glob("*/*.jpg")))
            keep("one core", name, {"milliseconds": ms}, f"{ms:.1f} ms a picture")
    if "networks" in parts and networks.available():
        for name, taken in networks.measure(home, quick=quick):
            ms, right = taken["milliseconds"], taken["accuracy"]
            said = f"{ms['torch']:.0f} → {ms['this']:.0f} ms, {right['torch']:.1%} → {right['this']:.1%}"
            keep("networks", name, taken, said)


def rivals(home: Path, wanted: Sequence[str] | None) -> dict[str, tuple[list[str], list[str]]]:
    """What both sides are told, by encoder: ours and theirs run the same network."""
    known = {}
    wanted = wanted or (DEFAULT_ENCODER, "twin-tvl", "ViT-S")
    packaged = efficientnet_lite0._packaged()
    if packaged is not None and DEFAULT_ENCODER in wanted:
        content = efficientnet_lite0.onnx_bytes(efficientnet_lite0.read_tensors(packaged), {})
        (home / "efficientnet.onnx").write_bytes(content)
        theirs = [
            "--onnx",
            str(home / "efficientnet.onnx"),
            *told(efficientnet_lite0.PREPROCESSING),
            "--handmade",
        ]
        known[DEFAULT_ENCODER] = (["--encoder", DEFAULT_ENCODER], theirs)
    if "twin-tvl" in wanted:
        theirs = ["--onnx", str(WEIGHTS / "twin-tvl.onnx"), *told(twin_tvl.PREPROCESSING)]
        known["twin-tvl"] = (["--encoder", "twin-tvl"], theirs)
    if networks.available() and "ViT-S" in wanted:
        file, preprocessing = networks.exported(home)
        known["ViT-S"] = (["--encoder", f"onnx:{file}"], ["--torch", networks.MODEL, *told(preprocessing)])
    return known


def told(preprocessing: Preprocessing) -> list[str]:
    """The same preprocessing as options of the other program."""
    numbers = ("--mean", *(preprocessing.mean or ()), "--std", *(preprocessing.std or ()))
    return ["--side", str(preprocessing.height), *map(str, numbers)]


def draw(home: Path, many: int) -> list[Path]:
    """Labelled contacts, queries, and many more of them, as JPEGs; the many are returned."""
    rng = np.random.default_rng(0)
    shapes = [rng.integers(0, 256, (6, 8, 3), dtype=np.uint8) for _ in range(CLASSES)]
    for c, shape in enumerate(shapes):
        for i in range(LABELLED):
            save(shape, rng, home / "support" / f"class {c}" / f"{i}.jpg")
    for i in range(ASKED):
        save(shapes[i % CLASSES], rng, home / "queries" / f"{i}.jpg")
    paths = [home / "many" / f"{i}.jpg" for i in range(many)]
    for i, path in enumerate(paths):
        save(shapes[i % CLASSES], rng, path)
    return paths


def save(shape: np.ndarray, rng: np.random.Generator, path: Path) -> None:
    """The shape, blurred and with noise; a picture that is there is left as it is."""
    if path.is_file():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    smooth = np.asarray(Image.fromarray(shape).resize(SIZE, Image.Resampling.BICUBIC), np.int16)
    noisy = smooth + rng.integers(-12, 13, smooth.shape, dtype=np.int16)
    Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(path, quality=90)


if __name__ == "__main__":
    main()
