"""What the command line writes and prints, from simulated contacts to labels."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from benchmarks.same.entries import Entries

COMMANDS = (
    "sim contacts home --labelled 6 --queries 5 --size 48 --difficulty easy",
    "adapt home/support -o classification.bideta --encoder twin-tvl --preset classification",
    "adapt home/support -o ranking.bideta --encoder twin-tvl --preset ranking",
    "adapt home/support -o robot.bideta --encoder twin-tvl --preset robot",
    "adapt home/support -o tuned.bideta --encoder twin-tvl --preset classification --tune",
    "adapt home/support -o mixed.bideta --encoder twin-tvl --preset classification --prior mixed",
    "predict classification.bideta home/queries -o classification.csv",
    "predict ranking.bideta home/queries -o ranking.csv",
    "predict robot.bideta home/queries -o robot.csv",
    "predict tuned.bideta home/queries -o tuned.csv",
    "predict mixed.bideta home/queries -o mixed.csv",
    "predict robot.bideta home/queries -o risk.csv --risk 0.2",
    "predict classification.bideta home/queries -o novelty.csv --novelty 0.1",
    "evaluate classification.bideta home/queries",
    "rank ranking.bideta home/queries -o rank.csv",
    "suggest home/queries --budget 6 --csv cold.csv --encoder twin-tvl",
    "suggest home/queries --budget 6 --sensor robot.bideta --csv warm.csv",
    "inspect classification.bideta",
    "inspect robot.bideta",
    "inspect tuned.bideta",
    "predict robot.bideta nowhere -o nothing.csv",
    "adapt home/support -o bad.bideta --preset best",
)


def entries() -> Entries:
    """What every command printed, its exit code, and every CSV that it wrote."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for command in COMMANDS:
            before = set(Path().glob("*.csv"))
            code, out, err = _run(command.split())
            yield f"{command}: stdout", out
            yield f"{command}: stderr", err
            yield f"{command}: exit code", code
            for path in sorted(set(Path().glob("*.csv")) - before):
                yield f"{command}: {path}", path.read_text(encoding="utf-8")


def _run(arguments: list[str]) -> tuple[int, str, str]:
    from bideta.cli import main

    out, err = io.StringIO(), io.StringIO()
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "argv", ["bideta", *arguments]))
        stack.enter_context(mock.patch.dict(os.environ, {"COLUMNS": "200"}))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        try:
            main()
        except SystemExit as ended:
            return int(ended.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()
