"""Records → the entries of a table: mean ± sample standard deviation over seeds of the sensor average."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from bideta.protocol.records import Record
from bideta.report.tables import MISSING, UNAVAILABLE, Entry

PERCENT = 100.0  # records hold fractions


def summarize(
    records: Iterable[Record],
    value: str,
    *,
    sensors: Sequence[str],
    seeds: Sequence[int],
    scale: float = PERCENT,
    digits: int = 2,
    spread: bool = True,
) -> Entry:
    """Mean ± sample standard deviation over ``seeds`` of the mean over ``sensors`` of ``value``.

    ``records`` are those of one cell of the table: same dataset, encoder, method, variant and budget. A seed counts
    only when every sensor is there; fewer seeds than asked for give an ``incomplete`` entry that says so, none a
    ``missing`` one. ``spread=False`` reports the mean alone.
    """
    wanted = [record for record in records if record.cell.target in sensors and record.cell.seed in seeds]
    if wanted and all(record.status == "unavailable" for record in wanted):
        return UNAVAILABLE
    good = {
        (record.cell.seed, record.cell.target): record.values[value]
        for record in wanted
        if record.status == "ok" and value in record.values
    }
    averages = [
        scale * statistics.fmean(good[seed, sensor] for sensor in sensors)
        for seed in seeds
        if sensors and all((seed, sensor) in good for sensor in sensors)
    ]
    failed = sum(record.status == "failed" for record in wanted)
    note = f"{len(averages)} of {len(seeds)} seeds" + (f", {failed} failed" if failed else "")
    if not averages:
        return Entry(state="missing", note=note) if wanted else MISSING
    return Entry(
        mean=statistics.fmean(averages),
        # Nothing that varied, no deviation: a head without a random part, a support that is the whole pool.
        std=statistics.stdev(averages) if spread and len(set(averages)) > 1 else None,
        state="value" if len(averages) == len(seeds) else "incomplete",
        note="" if len(averages) == len(seeds) else note,
        digits=digits,
    )
