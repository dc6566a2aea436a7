"""The tables of the report, one function for each section's results."""

from __future__ import annotations

from typing import Any

from benchmarks.method.stages import STAGES
from benchmarks.report.estimates import Answers


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; every column but the first is aligned to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])


def duration(seconds: float) -> str:
    """Seconds as a person would say them."""
    if seconds < 1:
        return f"{1e3 * seconds:.3g} ms"
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"


def shapes(answers: Answers, staged: Answers) -> str:
    """Ours beside the composition; the limit is what the ratio would be if only library calls took time."""
    header = ["shape", "precision", "threads", "composition", "ours", "CPU ratio", "wall ratio", "limit"]
    header += ["equal labels", "max ΔP, same precision", "max ΔP, float64", "accuracy"]
    rows = []
    for name, result in answers.items():
        title, dtype, threads = name.split(" | ")
        if threads == "memory":
            continue
        clock = "cpu" if threads == "1 thread" else "wall"
        limit = ""
        if (dtype, threads) == ("float32", "1 thread") and title in staged:
            limit = f"{staged[title]['composition']['total'] / staged[title]['calls']['total']:.1f}×"
        same, wide = result["against_same_precision"], result["against_float64"]
        rows.append(
            [
                title,
                dtype,
                threads.split()[0],
                f"{duration(result['composition'][clock])} {clock}",
                f"{duration(result['ours'][clock])} {clock}",
                f"{result['ratio_cpu']:.1f}×",
                f"{result['ratio_wall']:.1f}×",
                limit,
                f"{min(same['agreement'], wide['agreement']):.2%}",
                f"{same['difference']:.1e}",
                f"{wide['difference']:.1e}",
                f"{result['accuracy']:.1%}",
            ]
        )
    return markdown(header, rows)


def stages(answers: Answers) -> str:
    """CPU milliseconds of every stage, of its library calls, and of its arithmetic at the GEMM rate."""
    parts = []
    for name, result in answers.items():
        if "ours" not in result:
            continue
        floor = floors(result)
        rows = []
        for stage in (*STAGES, "total"):
            theirs, mine = result["composition"][stage], result["ours"][stage]
            least, calls = floor.get(stage), result["calls"].get(stage)
            ratio = f"{theirs / mine:.1f}×" if mine > 5e-5 and theirs > 5e-5 else ""
            row = [stage, f"{1e3 * theirs:.1f}", f"{1e3 * mine:.1f}", ratio]
            for alone in (calls, least):
                row += [f"{1e3 * alone:.1f}", f"{alone / mine:.0%}"] if alone else ["", ""]
            rows.append([f"**{cell}**" if cell else "" for cell in row] if stage == "total" else row)
        header = [name, "composition", "ours", "ratio"]
        header += ["library calls alone", "share of ours", "arithmetic alone", "share of ours"]
        parts.append(markdown(header, rows))
    return "\n\n".join(parts)


def floors(result: dict[str, Any]) -> dict[str, float]:
    """Seconds of the minimal arithmetic at the measured GEMM rates: Q and similarities in float32, the rest not."""
    rates, work = result["rates"], result["work"]
    floor = {
        stage: flops / rates["float32" if stage in ("transform", "neighbours") else "float64"]
        for stage, flops in work.items()
    }
    return floor | {"total": sum(floor.values())}


def gemm(answers: Answers) -> str:
    """The neighbour stage beside the GEMM rate."""
    header = ["queries", "CPU", "GEMM rate, square", "GEMM rate, blocks"]
    header += ["whole matrix (2m²d) per second", "share of the GEMM rate", "multiplied (m²d): share"]
    rows = []
    for result in answers.values():
        if "whole_matrix" not in result:
            continue
        reached, rate = result["whole_matrix"], result["rate"]
        rows.append(
            [
                f"{result['m']:,}",
                duration(result["cpu"]),
                f"{rate / 1e9:.0f} GFLOP/s",
                f"{result['rate_in_blocks'] / 1e9:.0f} GFLOP/s",
                f"{reached * rate / 1e9:.0f} GFLOP/s",
                f"{reached:.0%}",
                f"{result['multiplied']:.0%}",
            ]
        )
    return markdown(header, rows)


def support(answers: Answers) -> str:
    """CPU time of the fit; rows are contacts, columns are features."""
    table = {result["d"]: {p["n"]: p["cpu"] for p in result["points"]} for result in answers.values()}
    shared = sorted(set.intersection(*(set(column) for column in table.values())))
    rows = [[f"n = {n:,}", *[duration(column[n]) for column in table.values()]] for n in shared]
    return markdown(["", *[f"d = {d:,}" for d in table]], rows)


def latency(answers: Answers) -> str:
    """Percentiles of the answer time."""
    rows = [
        [name.split(" | ")[1], f"{r['n']:,}", f"{r['m']}", f"{r['repeats']:,}"]
        + [f"{r[p]:.2f} ms" for p in ("cpu_p50", "cpu_p99", "p50", "p99", "most")]
        for name, r in answers.items()
    ]
    return markdown(
        ["contact", "support", "batch", "repetitions", "CPU p50", "CPU p99", "p50", "p99", "slowest"], rows
    )
