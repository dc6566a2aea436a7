"""Processor seconds of whole commands: what ``import bideta`` and ten answered pictures cost, imports included."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

COMMAND = "from bideta.cli import main; main()"


def measure(support: Path, queries: Path, home: Path, encoder: str, repeats: int) -> dict[str, Any]:
    """Fastest of several runs, each in a process of its own."""
    sensor = home / "sensor.bideta"
    processor_seconds(COMMAND, "adapt", support, "--out", sensor, "--encoder", encoder)
    processor_seconds(COMMAND, "predict", sensor, queries, "--out", home / "answers.csv")  # compiles modules
    programs: dict[str, tuple[Any, ...]] = {
        "python": ("pass",),
        "import bideta": ("import bideta",),
        "predict": (COMMAND, "predict", sensor, queries, "--out", home / "answers.csv"),
        "rank": (COMMAND, "rank", sensor, queries, "--out", home / "ranks.csv"),
    }
    return {
        name: min(processor_seconds(*program) for _ in range(repeats)) for name, program in programs.items()
    }


def processor_seconds(program: str, *arguments: object) -> float:
    """User and system time of a Python program, its threads included."""
    before = os.times()
    subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=installed(),
    )
    after = os.times()
    return (after.children_user + after.children_system) - (before.children_user + before.children_system)


def installed() -> dict[str, str]:
    """The environment with compiled modules kept, as an installed package has them."""
    kept = {"PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "bideta-benchmarks-pyc")}
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | kept
