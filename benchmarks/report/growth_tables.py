"""The growth section's tables: what was measured, what follows by proportion, and the exponents."""

from __future__ import annotations

from benchmarks.report.estimates import Answers, extrapolated, points, slope, symmetry_saving
from benchmarks.report.tables import duration, markdown


def measured(answers: Answers) -> str:
    """Every measured batch."""
    header = ["search", "features", "queries", "wall", "CPU", "peak memory above inputs"]
    header += ["recall@40 reported", "recall@40 checked"]
    rows = []
    for kind in ("exact", "approximate"):
        for distribution in ("clustered", "whitened"):
            for result in points(answers, kind, distribution):
                refused = result["recall_refused"]
                rows.append(
                    [
                        kind if refused is None else f"{kind} ({refused:.0%} found, refused) → exact",
                        distribution,
                        f"{result['m']:,}",
                        duration(result["wall"]),
                        duration(result["cpu"]),
                        f"{result['memory_mb']:,.0f} MB",
                        f"{result['recall_reported']:.3f}",
                        f"{result['recall_checked']:.3f}",
                    ]
                )
    return markdown(header, rows)


def estimated(answers: Answers, distribution: str) -> str:
    """Batches of which a share of the rows was measured; every time in it is an estimate."""
    saving = symmetry_saving(answers, distribution)
    one = (
        f"one process (row blocks × {saving[1]:.2f}, the ratio at {saving[0]:,})" if saving else "one process"
    )
    header = ["queries", "rows measured", "all rows in blocks, as workers do", one, "by the slope"]
    rows = [
        [
            f"{part['m']:,}",
            f"{part['share']:.2%}",
            *[
                f"≈ {duration(part[name])}" if part[name] else ""
                for name in ("blocks", "one_process", "by_slope")
            ],
        ]
        for part in extrapolated(answers, distribution)
    ]
    return markdown(header, rows) if rows else ""


def slopes(answers: Answers) -> str:
    """Exponents of time and memory."""
    rows = []
    for kind in ("exact", "approximate"):
        for distribution in ("clustered", "whitened"):
            measured = points(answers, kind, distribution)
            fitted = [slope(measured, field) for field in ("wall", "cpu", "memory_mb")]
            if all(fitted):
                rows.append([f"{kind}, {distribution}", *[f"m^{line[0]:.2f}" for line in fitted if line]])
    return markdown(["curve", "wall", "CPU", "memory"], rows)
