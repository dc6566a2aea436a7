"""``python -m benchmarks.readme``: the table, the pair and the chart of the README, from docs/evidence/real.md.

The same table stands in docs/how-to/what-to-label.md. Run it after ``bideta bench real --page``.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/evidence/real.md"
CHART = ROOT / "docs/images/real-labels.png"
PLACES = (ROOT / "README.md", ROOT / "docs/how-to/what-to-label.md")
ENCODER = "handmade+efficientnet-lite0"
BEST = "best of "  # how the column of the best comparison begins
SETS = {
    "GelSight Mini with markers, 5 materials, another day": [
        ("gelsight-mini-day1", "from gelsight-mini-day2"),
        ("gelsight-mini-day2", "from gelsight-mini-day1"),
    ],
    "GelSight Mini, 37 objects, later presses, minus untouched": [
        ("gelsight-mini-objects", "minus untouched, early to late")
    ],
    "small TacTip, 28 Braille cells": [("tactip-braille", "given split")],
}
BEGIN, END = "<!-- real table -->", "<!-- end -->"
PAIR = "**A second GelSight Mini**"  # the sentence of the README begins with it

Cells = dict[
    tuple[str, str, int], dict[str, float]
]  # set, split, labels → method → presses told, in per cent


def cells(text: str) -> Cells:
    """The table of the default encoder."""
    part = text.split(f"### {ENCODER}\n", 1)[1]
    title, _, *rows = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
    found: Cells = {}
    for row in rows:
        if len(row) != len(title) or not row[2].isdigit():
            break
        told = [float(re.sub(r"[*\s]", "", cell).split("/")[1]) for cell in row[3:]]
        found[row[0], row[1], int(row[2])] = dict(zip(title[3:], told, strict=True))
    return found


def means(found: Cells) -> dict[str, dict[int, dict[str, float]]]:
    """Name of a set → labels → method → mean over its splits."""
    labels = sorted({n for _, _, n in found})
    methods = list(next(iter(found.values())))
    return {
        name: {
            n: {m: float(np.mean([found[s, split, n][m] for s, split in splits])) for m in methods}
            for n in labels
        }
        for name, splits in SETS.items()
    }


def share(value: float) -> str:
    """Per cent without a fraction; only all is 100."""
    return "> 99 %" if 99.5 <= value < 100 else f"{value:.0f} %"


def table(values: dict[str, dict[int, dict[str, float]]]) -> str:
    """Presses told with the defaults."""
    labels = list(next(iter(values.values())))
    lines = [
        f"| labelled contacts per class | {' | '.join(map(str, labels))} |",
        "|---|" + "---:|" * len(labels),
    ]
    for name, rows in values.items():
        told = [share(rows[n]["touch"]) for n in labels]
        lines.append(f"| {name} | {' | '.join(told)} |")
    return "\n".join(lines)


def pair(text: str) -> str:
    """What another sensor's classifier knows unchanged, and what five labels of its own make of it, both ways."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    title = next(row for row in rows if "source, unchanged" in row)
    ways = [row for row in rows if len(row) == len(title) and row[2] == ENCODER and row[3].isdigit()]
    before, after = (
        " and ".join(row[title.index(column)] for row in ways) for column in ("source, unchanged", "5 labels")
    )
    return (
        f"{PAIR}, five materials, each asked after the other: the other's classifier, unchanged, is\nright on {before} "
        f"% of the frames; with five labels per class of its own bideta is right on {after} %\n(early presses "
        "labelled, late ones of the same session asked: drift may flatter that)."
    )


def chart(values: dict[str, dict[int, dict[str, float]]], path: Path) -> None:
    """Presses told against labels: bideta, the best comparison, logistic regression."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(values), figsize=(10, 2.9), sharey=True, layout="constrained")
    for axis, (name, rows) in zip(axes, values.items(), strict=True):
        n = list(rows)
        best = next(m for m in rows[n[0]] if m.startswith(BEST))
        axis.plot(n, [rows[k]["touch"] for k in n], "o-", color="#0072B2", lw=2.5, label="bideta")
        axis.plot(n, [rows[k][best] for k in n], "s--", color="#D55E00", label=f"the {best} comparisons")
        axis.plot(n, [rows[k]["logistic"] for k in n], "^:", color="#777777", label="logistic regression")
        axis.set(xscale="log", xticks=n, xticklabels=map(str, n), ylim=(30, 101))
        axis.minorticks_off()
        axis.set_title("\n".join(textwrap.wrap(name, 44)), fontsize=8.5)  # else they run into each other
        axis.set_xlabel("labelled contacts per class", fontsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("presses recognised (%)", fontsize=8)
    axes[-1].legend(fontsize=8, loc="lower right")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main() -> None:
    """Write the chart, the table at its places and the pair."""
    page = PAGE.read_text(encoding="utf-8")
    values = means(cells(page))
    for place in PLACES:
        before, _, rest = place.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        place.write_text(f"{before}{BEGIN}\n\n{table(values)}\n\n{END}{after}", encoding="utf-8")
    before, _, rest = PLACES[0].read_text(encoding="utf-8").partition(PAIR)
    PLACES[0].write_text("\n\n".join([before + pair(page), rest.partition("\n\n")[2]]), encoding="utf-8")
    chart(values, CHART)


if __name__ == "__main__":
    main()
