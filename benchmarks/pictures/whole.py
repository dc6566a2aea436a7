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
from benchmarks.pictures.ready import COMMAND, installed

LABELLED, CLASSES, WIDTH = 128, 16, 384


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
    begun = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *map(str, arguments)], stderr=subprocess.DEVNULL, env=installed()
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, ["bideta", *map(str, arguments)])
    return perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
