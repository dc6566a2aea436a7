"""``bideta report RUN … --site DIR`` and ``bideta report RUN --check``."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from bideta.cli._terminal import note
from bideta.images.files import write_atomic
from bideta.images.reading import shown
from bideta.protocol.measure_again import Given
from bideta.protocol.recheck import Verdict, pick, recheck
from bideta.report.leaderboard import checks
from bideta.report.leaderboard.page import page
from bideta.report.leaderboard.submissions import open_submission, open_submissions

PAGE = "index.html"
FRESH = 2**32  # seeds are drawn below it
WORDS = {
    "same": "SAME: the answers are those of the record",
    "close": "CLOSE: every value is within a hundredth of the record's; the answers are not the same",
    "different": "DIFFERENT: the record does not hold here",
}


def write_site(folders: Sequence[Path], site: Path) -> None:
    """The page of all these runs, as DIR/index.html."""
    runs = open_submissions(folders)
    text = page(runs)
    site.mkdir(parents=True, exist_ok=True)
    write_atomic(site / PAGE, text.encode())
    for run in runs:
        if run.damage:
            note(f"warning: {run.damage}")
    note(f"{site / PAGE}: {len(runs)} runs, {sum(len(run.records) for run in runs)} records")


def check_record(folder: Path, seed: int | None, given: Given) -> bool:
    """Measure one cell again and say what came of it; whether the record holds."""
    run = open_submission(folder)
    if run.damage:
        raise ValueError(f"{run.damage}. A file to be checked must be whole")
    seed = secrets.randbelow(FRESH) if seed is None else seed
    noted = pick(run.records, seed)
    note(f"{len(run.records)} records; seed {seed} draws: {noted.cell}")
    verdict = recheck(noted, run.facts, given)
    print(_shown(verdict))
    checks.add_check(run.folder, verdict, seed)
    return verdict.finding != "different"


def _shown(verdict: Verdict) -> str:
    lines = [WORDS[verdict.finding], f"cell: {verdict.noted.cell}"]
    for name, record in (("record", verdict.noted), ("here", verdict.again)):
        values = ", ".join(f"{value} {number:.4f}" for value, number in list(record.values.items())[:6])
        lines.append(
            f"{name}: {values} (bideta {record.versions.get('bideta', '?')}, commit {record.commit or '?'})"
        )
    return "\n".join(map(shown, [*lines, *verdict.differences]))
