"""Pictures of one number for each shape and stage."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from benchmarks.method.stages import STAGES
from benchmarks.report.estimates import Answers
from benchmarks.report.palette import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, RED, SKY, YELLOW

STAGE_COLOURS = (SKY, ORANGE, PINK, GREEN, BLUE, YELLOW, BLACK, RED, GREY)


def shapes(answers: Answers) -> Figure:
    """Ratios of CPU time, one thread."""
    names = list(dict.fromkeys(name.split(" | ")[0] for name in answers))
    figure, ax = plt.subplots(figsize=(7, 0.6 * len(names) + 1.4))
    height = 0.36
    for offset, dtype, colour in ((-height / 2, "float32", BLUE), (height / 2, "float64", ORANGE)):
        ratios = [answers.get(f"{name} | {dtype} | 1 thread", {}).get("ratio_cpu", 0.0) for name in names]
        bars = ax.barh(np.arange(len(names)) + offset, ratios, height, color=colour, label=dtype)
        texts = [f"{ratio:.1f}×" if ratio else "" for ratio in ratios]
        for label in ax.bar_label(bars, texts, padding=4, fontsize=8):
            label.set(zorder=5, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
    ax.axvline(1, color=GREY, lw=1)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.margins(x=0.1)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("CPU time of the scikit-learn composition / ours (one thread)")
    figure.legend(loc="outside upper right", ncols=2)
    return figure


def stages(answers: Answers) -> Figure:
    """Stage times of every shape, and the neighbour stage's share of the GEMM rate."""
    staged = {name: result for name, result in answers.items() if "ours" in result}
    rated = [result for result in answers.values() if "whole_matrix" in result]
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), width_ratios=(2.2, 1))
    bars = [
        (f"{name}, {who}", result[who]) for name, result in staged.items() for who in ("composition", "ours")
    ]
    before = np.zeros(len(bars))
    for stage, colour in zip(STAGES, STAGE_COLOURS, strict=True):
        seconds = np.array([1e3 * result[stage] for _, result in bars])
        left.barh(
            range(len(bars)), seconds, left=before, color=colour, label=stage, edgecolor="white", lw=0.3
        )
        before += seconds
    for i, total in enumerate(before):
        left.text(total, i, f" {total:.0f}", va="center", fontsize=8)
    left.set_yticks(range(len(bars)), [name for name, _ in bars])
    left.invert_yaxis()
    left.margins(x=0.1)
    left.grid(visible=False, axis="y")
    left.set_xlabel("CPU ms, float32, one thread")
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=len(STAGES), fontsize=8)
    sizes = np.array([result["m"] for result in rated])
    for field, colour, marker, label in (
        ("whole_matrix", BLUE, "o", "whole matrix (2m²d)"),
        ("multiplied", ORANGE, "s", "multiplied (m²d)"),
    ):
        right.semilogx(sizes, [100 * r[field] for r in rated], marker=marker, color=colour, label=label)
    right.set_ylim(0)
    right.minorticks_off()
    right.set_xticks(sizes, [f"{size:,}" for size in sizes])
    right.set_xlabel("queries m")
    right.set_ylabel("% of the float32 GEMM rate")
    right.set_title("neighbour stage", fontsize=9)
    right.legend(fontsize=8)
    return figure
