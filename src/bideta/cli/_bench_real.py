"""``bideta bench real``: every split of every set in a folder of real recordings."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from bideta.cli._drawing import draw_tiles
from bideta.cli._terminal import note, progress
from bideta.cli._typed import shown_command
from bideta.images.reading import read_image, shown
from bideta.protocol import records
from bideta.protocol.extras import require_extras
from bideta.protocol.real.cells import Request, make_cells
from bideta.protocol.real.run import run
from bideta.protocol.real.sets import RealSet, find_sets
from bideta.protocol.records import Record
from bideta.protocol.run_folder import claim, missing, owned
from bideta.service.choices import DEFAULT_ENCODER
from bideta.service.plugins import load_plugin

LISTED = 5  # failed cells that are named at the end
DEFAULT_ENCODERS = (DEFAULT_ENCODER, "handmade", "efficientnet-lite0", "twin-tvl", "twin-sparsh")


def bench_real(
    request: Request,
    roots: Sequence[str],
    out: Path | None,
    cache: Path | None,
    page: Path | None,
    sheets: Path | None,
    dry_run: bool,
    jobs: int,
) -> int:
    """Measure what is missing, then draw; without a root only draw. The number of cells that failed."""
    if not roots and out is not None and page is not None and not dry_run:
        write_page(out, page)
        return 0
    if len(roots) != 1:
        raise ValueError("bench real needs one --root: a folder of sets, SET/CLASS/press N/*")
    sets = find_sets(Path(roots[0]))
    cells = make_cells(request, sets)
    require_extras(cells)
    if sheets is not None:
        sheets.mkdir(parents=True, exist_ok=True)
        for name, one in sets.items():
            draw_tiles(first_contacts(one), sheets / f"{name}.png")
    if dry_run or out is None:
        print(f"{len(cells)} cells, sets: {', '.join(map(shown, sets))}")
        return 0
    failed: list[Record] = []
    with owned(out):
        wanted, _ = missing(out, cells)
        if wanted:
            claim(out, {"encoders": fingerprints(request.encoders)}, shown_command(sys.argv))
        note(f"{len(wanted)} cells to do of {len(cells)}; records: {out / records.FILE}")
        with progress("cells") as step:
            finished = 0

            def done(record: Record) -> None:
                nonlocal finished
                finished += 1
                step(finished, len(wanted))
                if record.status == "failed":
                    failed.append(record)

            run(
                wanted,
                sets,
                out,
                cache or out / "cache",
                done,
                lambda line: step(finished, len(wanted), line),
                jobs,
            )
    for record in failed[:LISTED]:
        note(f"failed: {record.cell}: {record.error}")
    note(f"done: {len(wanted) - len(failed)} new records, {len(failed)} failed")
    if page is not None:
        write_page(out, page)
    return len(failed)


def fingerprints(encoders: Sequence[str]) -> dict[str, dict[str, str]]:
    """What must not change in a folder of records: the encoders' weights and preprocessing."""
    parts = dict.fromkeys(part for name in encoders for part in name.split("+"))
    return {part: {"fingerprint": load_plugin("encoder", part, {}).fingerprint} for part in parts}


def write_page(out: Path, page: Path) -> None:
    """The page of the records, and its charts in ``images/`` beside it."""
    from bideta.report.real_page import write

    write(records.read_records(out), page)
    note(f"{page}: written")


def first_contacts(one: RealSet) -> Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.uint8]]]:
    """Caption → a contact in the middle of each class's first press."""
    tiles = {}
    for label, name in enumerate(one.classes):
        rows = np.flatnonzero(one.labels == label)
        press = rows[one.presses[rows] == one.presses[rows[0]]]
        tiles[name] = read_image(one.paths[press[len(press) // 2]])
    return tiles
