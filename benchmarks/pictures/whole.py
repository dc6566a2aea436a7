"""Time and memory of a whole ``bideta predict`` from 1,000 to 100,000 contacts, their readouts cached."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.measuring.features import batch
from benchmarks.pictures.ready import installed

LABELLED, CLASSES, WIDTH = 128, 16, 384
PROGRAM = """
import sys
from bideta.cli import main
try: main()
except SystemExit as ended:
    if ended.code: raise
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(1024 * int(status["VmHWM"].split()[0]), file=sys.stderr)
"""


def measure(home: Path, count: int) -> dict[str, Any]:
    """Wall and processor seconds and peak memory of the command, in a process of its own."""
    data = batch("clustered", LABELLED, count, CLASSES, WIDTH)
    support, queries, sensor = home / "support.npz", home / "queries.npz", home / "whole.bideta"
    names = ("readout_1", "readout_2")
    np.savez(support, y=data.y.astype(str), **dict(zip(names, data.support, strict=True)))
    np.savez(queries, **dict(zip(names, data.queries, strict=True)))
    sensor.unlink(missing_ok=True)
    _run("adapt", support, "--out", sensor)
    wall, processor, peak = _run("predict", sensor, queries, "--out", home / "answers.csv")
    return {"count": count, "wall": wall, "cpu": processor, "peak_bytes": peak}


def _run(*arguments: object) -> tuple[float, float, int]:
    before, begun = os.times(), perf_counter()
    # The command says its own peak at the end: what the system tells of a child counts its parent's pages too.
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        capture_output=True,
        check=True,
        env=installed(),
    )
    wall, after = perf_counter() - begun, os.times()
    processor = (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )
    return wall, processor, int(done.stderr.split()[-1])
