"""Every target beside what was found: met, not met, or not measured."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.report import targets
from benchmarks.report.estimates import Answers, extrapolated
from benchmarks.report.tables import duration, markdown, met

Row = tuple[str, str, str]  # target, found, verdict


def table(answers: dict[str, Answers]) -> str:
    """The promises and what became of them."""
    rows = [*_ratios(answers["shapes"], answers["stages"]), *_rates(answers["stages"])]
    rows += [
        *_memory(answers["shapes"], answers["growth"]),
        *_large(answers["growth"]),
        *_window(answers["latency"]),
    ]
    return markdown(["target", "found", "verdict"], [list(row) for row in rows])


def _ratios(shapes: Answers, stages: Answers) -> Iterator[Row]:
    for name, goal in targets.RATIO.items():
        promise = f"{name}: at least {goal:.0f}× faster than the composition (CPU, one thread)"
        for dtype in ("float32", "float64"):
            result = shapes.get(f"{name} | {dtype} | 1 thread")
            if result is None:
                yield promise, dtype, "not measured"
                continue
            ratio = result["ratio_cpu"]
            said = f"{dtype}: {ratio:.1f}×"
            if dtype == "float32" and name in stages:
                theirs, staged = stages[name]["composition"]["total"], stages[name]
                now, most = theirs / staged["ours"]["total"], theirs / staged["calls"]["total"]
                said += f" (in the stages' run {now:.1f}×, of {most:.1f}× if only library calls took time)"
            yield promise, said, met(ratio >= goal)
    compared = {name: result for name, result in shapes.items() if "ours" in result}
    for dtype, most in targets.DIFFERENCE.items():
        promise = f"same answers in {dtype}: labels ≥ {targets.AGREEMENT:.1%} equal, max ΔP ≤ {most:g}"
        pairs = [
            result[against]
            for name, result in compared.items()
            if f"| {dtype} |" in name
            for against in ("against_same_precision", "against_float64")
        ]
        if not pairs:
            yield promise, "", "not measured"
            continue
        least, worst = min(p["agreement"] for p in pairs), max(p["difference"] for p in pairs)
        yield promise, f"{least:.2%}, {worst:.1e}", met(least >= targets.AGREEMENT and worst <= most)


def _rates(stages: Answers) -> Iterator[Row]:
    promise = f"neighbour stage ≥ {targets.GEMM_SHARE:.0%} of the float32 GEMM rate from {targets.GEMM_FROM:,} queries"
    large = [r for r in stages.values() if "whole_matrix" in r and r["m"] >= targets.GEMM_FROM]
    if not large:
        yield promise, "", "not measured"
    for result in large:
        share = result["whole_matrix"]
        said = f"{result['m']:,}: {share:.0%} (2m²d counted), {result['multiplied']:.0%} (m²d multiplied)"
        yield promise, said, met(share >= targets.GEMM_SHARE)


def _memory(shapes: Answers, growth: Answers) -> Iterator[Row]:
    small, large = targets.MEMORY_MB
    cases = [
        (f"m = {small:,} (384 + 768 features)", small, [shapes.get("SITR 10 % | float32 | memory")]),
        (
            f"m = {large:,}",
            large,
            [growth.get(f"exact | {kind} | {large:,}") for kind in ("clustered", "whitened")],
        ),
    ]
    for title, size, results in cases:
        promise = f"memory at {title}: under {targets.MEMORY_MB[size]:,.0f} MB above the inputs"
        megabytes = [result["memory_mb"] for result in results if result]
        if not megabytes:
            yield promise, "", "not measured"
            continue
        yield promise, f"{max(megabytes):,.0f} MB", met(max(megabytes) < targets.MEMORY_MB[size])


def _large(growth: Answers) -> Iterator[Row]:
    size, minutes = targets.EXACT_MINUTES
    promise = f"{size:,} queries, exact, two readouts: minutes on this machine (under {minutes:.0f})"
    results = [growth.get(f"exact | {kind} | {size:,}") for kind in ("clustered", "whitened")]
    walls = [result["wall"] for result in results if result]
    yield (
        (promise, duration(max(walls)), met(max(walls) < 60 * minutes))
        if walls
        else (promise, "", "not measured")
    )
    million = 1_000_000
    promise = (
        f"{million:,} clustered queries, approximate: within {targets.MILLION_GB:.0f} GB, "
        f"recall ≥ {targets.MILLION_RECALL}"
    )
    result = growth.get(f"approximate | clustered | {million:,}")
    if result is None:
        yield promise, "", "not measured"
    else:
        total = (result["memory_mb"] + result["inputs_and_before_mb"]) / 1e3
        recall = min(result["recall_reported"], result["recall_checked"])
        said = f"{duration(result['wall'])}, {total:.1f} GB with inputs, recall {recall:.3f}"
        yield promise, said, met(total <= targets.MILLION_GB and recall >= targets.MILLION_RECALL)
    promise = f"{million:,} queries, exact: shown by a share of the rows and the slope"
    parts = [part for part in extrapolated(growth, "whitened") if part["m"] == million]
    if parts:
        part = parts[0]
        said = f"{part['share']:.2%} of the rows measured; all of them ≈ {duration(part['blocks'])}"
        yield promise, said, "shown"
    else:
        yield promise, "", "not measured"


def _window(latency: Answers) -> Iterator[Row]:
    promise = f"one contact with a window of 256: p99 under {targets.WINDOW_P99_MS:.0f} ms on one core"
    windows = [result for name, result in latency.items() if name.endswith("window of 256")]
    if not windows:
        yield promise, "", "not measured"
    for result in windows:
        said = (
            f"support {result['n']:,}: p50 {result['p50']:.1f} ms, p99 {result['p99']:.1f} ms "
            f"({result['cpu_p99']:.1f} ms of processor time)"
        )
        yield promise, said, met(result["p99"] < targets.WINDOW_P99_MS)
