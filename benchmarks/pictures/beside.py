"""From a folder to a table: ``bideta adapt`` and ``predict`` beside the program that one would write, in one run."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.pictures.ready import COMMAND, installed

ROOT = Path(__file__).parents[2]


def measure(
    support: Path,
    many: Sequence[Path],
    home: Path,
    encoder: Sequence[str],
    composed: Sequence[str],
    count: int,
    repeats: int,
) -> dict[str, Any]:
    """Wall seconds of both for ``count`` pictures, taking turns, and the share of equal labels."""
    queries = home / f"queries {count}"
    if not queries.is_dir():
        queries.mkdir()
        for path in many[:count]:
            os.link(path, queries / path.name)
    sensor, ours, theirs = home / "beside.bideta", home / "ours.csv", home / "theirs.csv"
    walls: dict[str, list[float]] = {"adapt": [], "predict": [], "composed": []}
    for _ in range(repeats):
        sensor.unlink(missing_ok=True)
        adapt = ("adapt", support, "--out", sensor, "--preset", "classification", *encoder)
        walls["adapt"].append(_wall("-c", COMMAND, *adapt))
        walls["predict"].append(_wall("-c", COMMAND, "predict", sensor, queries, "--out", ours, *encoder))
        program = ("-m", "benchmarks.pictures.composed", support, queries, theirs, *composed)
        walls["composed"].append(_wall(*program))
    seconds = {name: min(taken) for name, taken in walls.items()}
    mine = seconds["adapt"] + seconds["predict"]
    a, b = _labels(ours), _labels(theirs)
    equal = sum(a[name] == b[name] for name in b) / len(b)
    return {
        "count": count,
        "repeats": repeats,
        "seconds": seconds,
        "ratio": seconds["composed"] / mine,
        "equal": equal,
    }


def _wall(*arguments: object) -> float:
    begun = perf_counter()
    subprocess.run(
        [sys.executable, *map(str, arguments)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env=installed(),
    )
    return perf_counter() - begun


def _labels(path: Path) -> Mapping[str, str]:
    with path.open(newline="") as stream:
        return {Path(row["path"]).name: row["label"] for row in csv.DictReader(stream)}
