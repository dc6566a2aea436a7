"""``bideta bench quantities`` and ``bideta bench slip``."""

from __future__ import annotations

import sys
from pathlib import Path

from bideta.cli._bench_real import LISTED, fingerprints
from bideta.cli._terminal import note, progress
from bideta.cli._typed import shown_command
from bideta.protocol import records
from bideta.protocol.quantity_bench.cells import SLIP, SLIP_ENCODER, Request, quantity_cells, slip_cells
from bideta.protocol.quantity_bench.run import run
from bideta.protocol.records import Record
from bideta.protocol.run_folder import claim, missing, owned

EXPERIMENTS = ("quantities", "slip")


def bench_quantities(
    experiment: str, request: Request, out: Path | None, cache: Path | None, page: Path | None, dry_run: bool
) -> int:
    """Measure what is missing, then write the page; the number of cells that failed."""
    cells = slip_cells(request) if experiment == SLIP else quantity_cells(request)
    if dry_run or out is None:
        print(f"{len(cells)} cells")
        return 0
    failed: list[Record] = []
    with owned(out):
        wanted, _ = missing(out, cells)
        if wanted:
            facts = {"encoders": fingerprints((*request.encoders, SLIP_ENCODER)), "quick": request.quick}
            claim(out, facts, shown_command(sys.argv))
        note(f"{len(wanted)} cells to do of {len(cells)}; records: {out / records.FILE}")
        with progress("cells") as step:
            finished = 0

            def done(record: Record) -> None:
                nonlocal finished
                finished += 1
                step(finished, len(wanted))
                if record.status == "failed":
                    failed.append(record)

            def say(line: str) -> None:
                step(finished, len(wanted), line)

            run(wanted, request, out, cache or out / "cache", done, say)
    for record in failed[:LISTED]:
        note(f"failed: {record.cell}: {record.error}")
    note(f"done: {len(wanted) - len(failed)} new records, {len(failed)} failed")
    if page is not None:
        from bideta.report.quantities_page import write

        write(records.read_records(out), page)
        note(f"{page}: written")
    return len(failed)
