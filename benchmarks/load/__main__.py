"""``python -m benchmarks.load [--quick]`` (``make load``): the server under many clients, docs/evidence/load.md."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.load.page import page, row
from benchmarks.load.rounds import UPLOADS, run
from benchmarks.load.server import server
from benchmarks.measuring import machine
from benchmarks.measuring.results import FOLDER, ROOT
from bideta.images.files import write_atomic

CLIENTS = (1, 8, 64, 256)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description="The server under load.")
    parser.add_argument(
        "--quick", action="store_true", help="few clients and uploads; prints, writes nothing"
    )
    parser.add_argument("--docs", type=Path, default=ROOT / "docs" / "evidence")
    options = parser.parse_args(arguments)
    before = os.getloadavg()[0]
    with server() as port:
        rounds = []
        for clients in (1, 4) if options.quick else CLIENTS:
            rounds.append(run(port, clients, uploads=6 if options.quick else UPLOADS))
            print(row(rounds[-1]), flush=True)
    text = page(rounds, before)
    if options.quick:
        print(text)
        return
    write_atomic(options.docs / "load.md", text.encode())
    facts = {"machine": machine.facts(), **machine.circumstances(), "load_before": before}
    record = {**facts, "rounds": [vars(one) for one in rounds]}
    write_atomic(FOLDER / "load.json", (json.dumps(record, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
