"""The loss curve as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure


def draw(history: list[dict[str, Any]], probes: list[dict[str, Any]], title: str, path: Path) -> None:
    """PNG: every term of the loss over the steps, and the probe's accuracy on a second axis."""
    figure = Figure(figsize=(7, 4), dpi=110, layout="constrained")
    axis = figure.subplots()
    steps = [row["step"] for row in history]
    axis.plot(steps, [row["loss"] for row in history], color="black", label="loss")
    for term in history[0]["terms"]:
        axis.plot(steps, [row["terms"][term] for row in history], linewidth=1, label=term)
    axis.set(xlabel="step", ylabel="loss", title=title, ylim=(0, None))
    axis.grid(alpha=0.3)
    handles, labels = axis.get_legend_handles_labels()
    if probes:
        right = axis.twinx()
        line = right.plot(
            [row["step"] for row in probes], [100 * row["accuracy"] for row in probes], "o--", color="tab:red"
        )
        right.set(ylabel="probe on unseen random objects (%)", ylim=(0, 100))
        handles, labels = [*handles, *line], [*labels, "probe"]
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=8)
    figure.savefig(path)
