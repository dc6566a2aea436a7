"""What became of cells that were measured again: a line of JSON for each, beside the records.

Whoever keeps a leaderboard keeps these files; one that comes with a submission is its sender's word and is removed.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import get_args

from bideta.protocol.recheck import Finding, Verdict

FILE = "checks.jsonl"
LARGEST = 1_000_000  # bytes; later lines are not read


def add_check(folder: Path, verdict: Verdict, seed: int) -> None:
    """Note a verdict."""
    line = {
        "finding": verdict.finding,
        "cell": str(verdict.noted.cell),
        "seed": seed,
        "commit": verdict.again.commit,
        "bideta": verdict.again.versions.get("bideta", ""),
    }
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def summary(folder: Path) -> str:
    """``2 same, 1 close``; ``none`` where nobody has measured a cell again."""
    path = folder / FILE
    if not path.is_file():
        return "none"
    with path.open("rb") as file:
        lines = file.read(LARGEST).splitlines()
    found = Counter(filter(None, map(_finding, lines)))
    return ", ".join(f"{found[name]} {name}" for name in get_args(Finding) if found[name]) or "none"


def _finding(line: bytes) -> str | None:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    finding = content.get("finding") if isinstance(content, dict) else None
    return finding if isinstance(finding, str) else None
