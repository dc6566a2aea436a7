"""Folders of records, of whoever sent them: read within limits, and never more than read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bideta.images.reading import shown
from bideta.protocol import records
from bideta.report.provenance import Run, open_run

MOST = 1000  # folders


def open_submission(path: Path) -> Run:
    """The run of a folder, or of a ``records.jsonl`` in its folder."""
    folder = path.parent if path.name == records.FILE else path
    file = folder / records.FILE
    if file.is_file() and file.stat().st_size > records.LARGEST:
        raise ValueError(
            f"{shown(file)} is larger than {records.LARGEST:,} bytes; split the run into several folders"
        )
    return open_run(folder)


def open_submissions(paths: Sequence[Path]) -> list[Run]:
    """All runs, in the order given; no two may have the same name."""
    if len(paths) > MOST:
        raise ValueError(f"{len(paths)} folders, at most {MOST} are expected on one page")
    runs = [open_submission(path) for path in paths]
    names = [run_name(run) for run in runs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"two folders are called {name!r}; the page names runs by their folders: rename one"
            )
    return runs


def run_name(run: Run) -> str:
    """What the page calls a run: the name of its folder."""
    return shown(run.folder.resolve().name)
