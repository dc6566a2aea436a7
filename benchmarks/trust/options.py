"""What the benchmarks of trust can be told on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measuring import results


def read_options(
    arguments: Sequence[str] | None, name: str, description: str | None, quick: str, real: bool = True
) -> argparse.Namespace:
    """``quick``, ``real`` (None: no real sets), ``cache`` and ``results`` of ``python -m benchmarks.trust.NAME``."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.trust.{name}", description=description)
    parser.add_argument("--quick", action="store_true", help=f"{quick}; written to build/benchmarks")
    if real:
        parser.add_argument("--real", type=Path, help="folder of real sets, as bideta bench real --root")
    cache = results.ROOT / "build" / "readouts"
    parser.add_argument("--cache", type=Path, default=cache, help="folder of readouts or sketches")
    parser.add_argument("--results", type=Path, help="folder of the JSON results")
    options = parser.parse_args(arguments)
    options.results = options.results or results.folder_of(options.quick)
    return options
