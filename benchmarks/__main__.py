"""``python -m benchmarks [SECTION …] [--quick] [--again] [--complete]``: measure, write docs/evidence/benchmarks.md."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.growth import queries, support
from benchmarks.measuring.results import QUICK_HOME, ROOT, folder_of
from benchmarks.measuring.run import Children, run_section
from benchmarks.measuring.task import Task
from benchmarks.method import shapes, stages
from benchmarks.online import latency
from benchmarks.report.page import write_report

SECTIONS: dict[str, Callable[..., list[Task]]] = {
    "shapes": shapes.tasks,
    "stages": stages.tasks,
    "support": support.tasks,
    "latency": latency.tasks,
    "growth": queries.tasks,  # the longest, so the last
}
BUSY = 0.5  # load average above which timings are pessimistic


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the named sections, or all of them, and write the report."""
    options = _options(arguments)
    console = Console(highlight=False)
    folder = options.results or folder_of(options.quick)
    docs = options.docs or (QUICK_HOME if options.quick else ROOT) / "docs" / "evidence"
    named = options.section or [*SECTIONS, "report"]
    load = os.getloadavg()[0]
    if load > BUSY and named != ["report"]:
        console.print(f"load average is {load:.1f}: other work will show in these timings")
    try:
        with Children() as children:
            for section in [name for name in SECTIONS if name in named]:
                listed = SECTIONS[section](quick=options.quick, complete=options.complete)
                run_section(section, listed, folder, children, console, again=options.again)
    finally:  # what was measured before an interruption is worth a page too
        path = write_report(folder, docs, list(SECTIONS), quick=options.quick)
        console.print(f"report: {os.path.relpath(path)}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed and scale of bideta.")
    known = [*SECTIONS, "report"]
    parser.add_argument("section", nargs="*", help=f"some of {', '.join(known)} (default: all)")
    parser.add_argument(
        "--quick", action="store_true", help="tiny sizes, seconds; written to build/benchmarks"
    )
    parser.add_argument("--again", action="store_true", help="measure again what is already measured")
    parser.add_argument("--complete", action="store_true", help="also 200,000 queries exactly, in full")
    parser.add_argument("--results", type=Path, help="folder of the JSON results")
    parser.add_argument("--docs", type=Path, help="folder of benchmarks.md and its images")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.section if name not in known]
    if unknown:
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(known)}")
    return options


if __name__ == "__main__":
    main()
