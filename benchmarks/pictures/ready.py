"""Processor seconds of whole commands: what ``import bideta`` and ten answered pictures cost, imports included."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = "from bideta.cli import main; main()"


def measure(support: Path, queries: Path, home: Path, encoder: str, repeats: int) -> dict[str, Any]:
    """Fastest of several runs, each in a process of its own."""
    sensor = home / "sensor.bideta"
    processor_seconds(COMMAND, "adapt", support, "--out", sensor, "--encoder", encoder)
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
        [sys.executable, "-c", program, *map(str, arguments)], check=True, stderr=subprocess.DEVNULL
    )
    after = os.times()
    return (after.children_user + after.children_system) - (before.children_user + before.children_system)
