"""Where the numbers come from: what stands on top of every page."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bideta.protocol import records as log
from bideta.protocol.records import Record
from bideta.protocol.run_folder import read_facts
from bideta.report import wording

ERRORS_SHOWN = 10  # kinds; a broken run would repeat the same error a thousand times
ASSUMED = "Assumed"  # pages print this line in bold
COMMIT_SHOWN = 12  # digits
PLACES = re.compile(
    r" \([^()]+:\d+(?: < [^()]+:\d+)*\)$"
)  # "(file.py:12 < other.py:3)" at the end of an error


@dataclass(frozen=True)
class Run:
    """The records of a folder and what else it says about them."""

    folder: Path
    records: Sequence[Record]
    facts: Mapping[str, Any]  # run.json: datasets, encoders, scale, …
    damage: str = ""  # which lines cannot be used
    written: datetime | None = None  # when the last record was

    @property
    def simulated(self) -> bool:
        """Whether the numbers come from rendered sensors."""
        return any(record.simulated for record in self.records)

    @property
    def failed(self) -> list[Record]:
        """Cells that ended with an error."""
        return [record for record in self.records if record.status == "failed"]


def open_run(folder: Path) -> Run:
    """The folder's records, of a finished run or of one still going; refuses a folder without any."""
    files = [folder / name for name in (log.PACKED, log.FILE) if (folder / name).is_file()]
    if not files:
        raise FileNotFoundError(
            f"no records in {folder}: expected {log.FILE}, written by bideta bench --out {folder}"
        )
    content = log.read_run(folder)
    if not content.records:
        raise ValueError(f"{files[-1]} holds no usable record; run bideta bench with the same folder again")
    return Run(
        folder,
        [content.records[cell] for cell in sorted(content.records)],
        read_facts(folder),
        log.describe_damage(folder, content),
        datetime.fromtimestamp(max(file.stat().st_mtime for file in files), UTC),
    )


def narrow(run: Run, only: str | None) -> Run:
    """The run with real or simulated records alone; no table may mix them, so a folder with both needs a choice."""
    kinds = {record.simulated for record in run.records}
    if only is None and len(kinds) > 1:
        raise ValueError(
            f"{run.folder} holds real and simulated records; choose with --only real or --only simulated"
        )
    if only is None:
        return run
    kept = [record for record in run.records if record.simulated == (only == "simulated")]
    if not kept:
        raise ValueError(f"{run.folder} holds no {only} records")
    return replace(run, records=kept)


def lines(run: Run, command: Sequence[str] = (), *, dates: bool = True) -> list[tuple[str, str]]:
    """(what, value) pairs; without ``dates`` they depend on the records alone."""
    records = run.records
    status = Counter(record.status for record in records)
    versions = sorted({f"{name} {version}" for r in records for name, version in r.versions.items()})
    commits = sorted({record.commit[:COMMIT_SHOWN] for record in records if record.commit})
    scales = [f"{scale:g}" for scale in sorted({record.scale for record in records})]
    counts = f"{status['ok']} measured, {status['unavailable']} not available, {status['failed']} failed"
    facts = [
        ("Data", "simulated: rendered sensors and twin encoders" if run.simulated else "real"),
        (ASSUMED, " ".join(assumptions(run))),
        ("Measured with", _command(run.facts)),
        ("Page made with", shlex.join(command)),
        ("Commit", _mixed(commits) if commits else "unknown"),
        ("Versions", ", ".join(versions)),
        ("Experiments", wording.listed(sorted({record.cell.experiment for record in records}))),
        ("Datasets", wording.listed(sorted({record.cell.dataset for record in records}))),
        ("Encoders", wording.listed(sorted({record.cell.encoder for record in records}))),
        ("Pictures", _resizing(run.facts)),
        ("Seeds", wording.listed(sorted({record.cell.seed for record in records}))),
        ("Scale", _mixed(scales)),
        ("Engine", _engines(records)),
        ("Cells", f"{len(records)}: {counts}"),
    ]
    if dates and run.written is not None:
        facts.append(("Last record", f"{run.written:%Y-%m-%d %H:%M} UTC"))
        facts.append(("Page written", f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"))
    facts.append(("Damaged", run.damage))
    return [(what, value) for what, value in facts if value]


def assumptions(run: Run) -> list[str]:
    """What the numbers rest on and nobody has settled, such as which sensor of SITR has which number."""
    recorded = {record.cell.dataset for record in run.records}
    named = run.facts.get("datasets", {}).items()
    return [fact["assumed"] for name, fact in named if name in recorded and fact.get("assumed")]


def errors(run: Run) -> list[str]:
    """The failed cells' errors, most frequent first, with one cell each as an example.

    Where in the code they happened stands in the records; readers of the page have no use for it.
    """
    kinds = Counter(PLACES.sub("", record.error) for record in run.failed)
    example = {PLACES.sub("", record.error): str(record.cell) for record in reversed(run.failed)}
    shown = [
        f"{count} × {error} (for example {example[error]})"
        for error, count in kinds.most_common(ERRORS_SHOWN)
    ]
    left = len(kinds) - len(shown)
    return [*shown, f"and {left} further kinds of errors"] if left > 0 else shown


def _mixed(values: Sequence[str]) -> str:
    """The values; says so where there are several, as one run has one of them."""
    return wording.listed(values) + (" (mixed)" if len(values) > 1 else "")


def _engines(records: Sequence[Record]) -> str:
    """Who ran what: "local; ranking by ray, 2 nodes" ."""
    by_engine: dict[str, set[str]] = {}
    for record in records:
        if record.engine:
            by_engine.setdefault(record.engine, set()).add(record.cell.experiment)
    return "; ".join(
        engine if engine == "local" else f"{wording.listed(sorted(experiments))} by {engine}"
        for engine, experiments in sorted(by_engine.items())
    )


def _resizing(facts: Mapping[str, Any]) -> str:
    """Which dataset's pictures were resized how, where encoders let one choose."""
    ways: dict[str, dict[str, None]] = {}
    for name, fact in facts.get("readings", {}).items():
        way = str(fact.get("settings", {}).get("resize", "a way that is not noted"))
        ways.setdefault(way, {})[name.rpartition(" on ")[2]] = None
    return "; ".join(f"{wording.listed(list(datasets))} resized by {way}" for way, datasets in ways.items())


def _command(facts: Mapping[str, Any]) -> str:
    command = facts.get("command", "")
    return shlex.join(command) if isinstance(command, list) else str(command)
