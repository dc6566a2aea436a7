"""Pictures of one number against another."""

from __future__ import annotations

import itertools
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.report.estimates import Answers, extrapolated, points, slope
from benchmarks.report.palette import BLUE, GREEN, GREY, ORANGE, RED, SKY

CURVES = {  # kind, distribution → colour, marker
    ("exact", "clustered"): (BLUE, "o"),  # drawn larger: the next curve often lies on it
    ("exact", "whitened"): (RED, "s"),
    ("approximate", "clustered"): (GREEN, "^"),
    ("approximate", "whitened"): (ORANGE, "v"),
}


def growth(answers: Answers) -> Figure:
    """Time, memory and recall against the number of queries."""
    figure, (time, memory, recall) = plt.subplots(1, 3, figsize=(12, 3.9), width_ratios=(1.4, 1, 1))
    for (kind, distribution), (colour, marker) in CURVES.items():
        measured = points(answers, kind, distribution)
        if not measured:
            continue
        name = f"{kind}, {distribution}"
        if kind == "approximate" and distribution == "whitened":
            name += " (exact took over)"
        sizes, line = [point["m"] for point in measured], slope(measured, "wall")
        label = f"{name}: m^{line[0]:.2f}" if line else name
        style = {"marker": marker, "color": colour, "ms": 9 if marker == "o" else 5}
        time.loglog(sizes, [point["wall"] for point in measured], label=label, **style)
        memory.loglog(sizes, [point["memory_mb"] for point in measured], **style)
        recall.semilogx(sizes, [point["recall_checked"] for point in measured], **style)
        refused = [
            (point["m"], point["recall_refused"]) for point in measured if point["recall_refused"] is not None
        ]
        for size, share in refused:
            recall.plot(size, share, marker=marker, color=colour, mfc="white")
            recall.annotate(
                "refused; exact\ntook over", (size, share), (8, -4), textcoords="offset points", fontsize=8
            )
    parts = extrapolated(answers, "whitened")
    if parts:
        _estimates(time, parts)
    time.set_ylabel("wall seconds, two readouts, all cores")
    memory.set_ylabel("peak MB above the inputs")
    recall.set_ylabel("recall@40, checked on 100 queries")
    recall.set_ylim(0, 1.05)
    for ax in (time, memory, recall):
        ax.set_xlabel("queries m")
    time.legend(fontsize=7.5)
    return figure


def _estimates(ax: Axes, parts: list[dict[str, Any]]) -> None:
    sizes = [part["m"] for part in parts]
    style = {"ls": "--", "mfc": "white", "color": RED}
    ax.loglog(
        sizes, [part["blocks"] for part in parts], marker="D", label="row blocks, from some rows", **style
    )
    if all(part["one_process"] for part in parts):
        label = "one process, estimated"
        ax.loglog(sizes, [part["one_process"] for part in parts], marker="s", label=label, **style)


def support(answers: Answers) -> Figure:
    """CPU time of the fit against the number of contacts, and closely where n = d."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), width_ratios=(1.5, 1))
    shades = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(answers)))
    fine = max(answers.values(), key=lambda result: len(result["points"]))
    coarse = set.intersection(*({p["n"] for p in result["points"]} for result in answers.values()))
    for shade, result, marker in zip(shades, answers.values(), "osD^vP*X"[: len(answers)], strict=True):
        shown = [p for p in result["points"] if p["n"] in coarse]
        left.loglog(
            [p["n"] for p in shown],
            [p["cpu"] for p in shown],
            marker=marker,
            color=shade,
            label=f"d = {result['d']:,}",
        )
    left.set_xlabel("labelled contacts n")
    left.set_ylabel("CPU seconds of fit, one thread")
    left.legend(fontsize=8)
    d = fine["d"]
    near = [p for p in fine["points"] if 0.8 * d <= p["n"] <= 1.2 * d]
    right.plot([p["n"] for p in near], [1e3 * p["cpu"] for p in near], marker="o", color=BLUE)
    right.axvline(d, color=GREY, ls=":")
    right.axvline(d + 16, color=ORANGE, ls="--", label="n − C = d: other Gram matrix")
    right.set_ylim(0)
    right.set_xlabel(f"contacts n around d = {d} (dotted)")
    right.set_ylabel("CPU ms of fit")
    right.legend(fontsize=8)
    return figure


def latency(answers: Answers) -> Figure:
    """Distribution of the answer time."""
    figure, ax = plt.subplots(figsize=(6.5, 3.4))
    styles = itertools.product(
        ("-", "--"), (SKY, ORANGE, RED)
    )  # a line for each support, a colour for each way
    for (name, result), (style, colour) in zip(answers.items(), styles, strict=False):
        ax.semilogx(result["percentiles"], np.arange(101), color=colour, ls=style, lw=2, label=name)
    ax.axhline(99, color=GREY, lw=0.8)
    ax.set_xlabel("milliseconds to the answer, one core")
    ax.set_ylabel("% of contacts answered")
    ax.legend(fontsize=8)
    return figure


def whole(answers: Answers) -> Figure:
    """Time and memory of a whole command against the number of contacts."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4))
    measured = sorted(answers.values(), key=lambda result: result["count"])
    counts = [result["count"] for result in measured]
    for ax, label, parts in (
        (axes[0], "seconds", {"wall": ("wall", 1.0, BLUE), "processor": ("cpu", 1.0, ORANGE)}),
        (axes[1], "peak MB of the process", {"memory": ("peak_bytes", 1e6, GREEN)}),
    ):
        for name, (field, unit, colour) in parts.items():
            ax.loglog(counts, [r[field] / unit for r in measured], marker="o", color=colour, label=name)
        ax.set(xlabel="contacts", ylabel=label)
        ax.legend(fontsize=8)
    return figure
