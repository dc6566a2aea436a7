"""docs/evidence/attacks.md: the table of the last long run of each kind. Rows of kinds that did not run stay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attacks.tally import Tally

HEAD = """# Attacks

**{tried:,} hostile files and requests, {crashed} crashes.** {over} of them took more than 500 MB or 10 seconds.

`make attack` runs the project's own fuzzers and writes this page. They are seeded and bounded: the same seed makes the
same cases. Each kind is one file in `tests/attacks/`. A short run of each is part of `make test`. A row is made
again by `python -m tests.attacks KIND --tries N --seed S --page docs/evidence/attacks.md`, with its numbers.

*Refused*: a message that names the file or the argument. *Answered*: the answer was checked and is sound. *Crashed*:
any other error, a process that ended, or an answer that is not sound. *Over 500 MB* and *over 10 s*: measured for each
case in a worker process, as memory added and as wall time. Every case is counted once.

Half of the sensor files have every field that a file can have: presses, the untouched picture, the look of the labelled
pictures, contacts of an earlier sensor. Probabilities, the bounds of the reliability and the check of the pictures are
judged. A damaged file that is answered says what it said before, to the bit.

"""
COLUMNS = ("attack", "tried", "refused", "answered", "crashed", "over 500 MB", "over 10 s", "seed")


def write(path: Path, tallies: Sequence[Tally], seed: int) -> None:
    """Put these rows into the page."""
    rows = _rows(path.read_text(encoding="utf-8")) if path.exists() else {}
    for one in tallies:
        counts = (one.tried, one.refused, one.answered, one.crashed, one.over_memory, one.over_time)
        rows[one.kind] = [one.kind, *(f"{count:,}" for count in counts), str(seed)]
    ruler = ["---", *("---:" for _ in COLUMNS[1:])]
    lines = [_line(cells) for cells in (COLUMNS, ruler, *(rows[kind] for kind in sorted(rows)))]
    tried, crashed, *over = (sum(int(row[i].replace(",", "")) for row in rows.values()) for i in (1, 4, 5, 6))
    head = HEAD.format(tried=tried, crashed=crashed or "no", over=sum(over) or "None")
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def _rows(text: str) -> dict[str, list[str]]:
    table = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {cells[0]: cells for cells in table[2:]}


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
