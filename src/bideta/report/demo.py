"""The demo's picture: one contact across sensors, confusion before and after, and what the gate did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.method.algorithm import Inference
from bideta.protocol.metrics import confusion
from bideta.report import pyplot

RIGHT, WRONG = "#0072B2", "#D55E00"  # blue and vermilion of the Okabe–Ito set


def draw(
    path: Path,
    contacts: dict[str, NDArray[np.uint8]],
    names: list[str],
    truth: NDArray[np.int64],
    before: NDArray[np.float64],
    result: Inference,
    title: str,
) -> None:
    """Write the picture.

    ``contacts`` maps a sensor to ``(K, H, W, 3)`` frames of the same K contacts; ``before`` holds the source
    head's probabilities on the target's queries, ``result`` is BIDETA's inference on them.
    """
    plt = pyplot()
    figure = plt.figure(figsize=(12, 8.2), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.0, 1.3])
    figure.suptitle(title, fontsize=12)
    _contacts(top, contacts, names)
    matrices, dials = bottom.subfigures(1, 2, width_ratios=[1.9, 1])
    axes = matrices.subplots(1, 2, sharey=True)
    after = result.proba
    for ax, P, label in zip(axes, (before, after), ("source head, unchanged", "BIDETA"), strict=True):
        image = _confusion(ax, truth, P.argmax(axis=1), names)
        ax.set_title(f"{label}: {(P.argmax(axis=1) == truth).mean():.1%}")
    axes[0].set_ylabel("true class")
    matrices.colorbar(image, ax=axes, shrink=0.6, label="share of the true class")
    upper, lower = dials.subplots(2, 1)
    _gate(upper, result, truth)
    _reliability(lower, after, truth)
    figure.savefig(path)
    plt.close(figure)


def _contacts(figure: Any, contacts: dict[str, NDArray[np.uint8]], names: list[str]) -> None:
    count = len(next(iter(contacts.values())))
    axes = figure.subplots(len(contacts), count, squeeze=False)
    for row, (sensor, images) in zip(axes, contacts.items(), strict=True):
        for ax, image in zip(row, images, strict=True):
            ax.imshow(image)
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_visible(False)
        row[0].set_ylabel(sensor, rotation=0, ha="right", va="center")
    for ax, name in zip(axes[0], names, strict=False):
        ax.set_title(name, fontsize=7)


def _confusion(ax: Any, truth: NDArray[np.int64], predicted: NDArray[np.intp], names: list[str]) -> Any:
    C = len(names)
    counts = confusion(truth, predicted, C)
    image = ax.imshow(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1), vmin=0, vmax=1)
    ax.set_xticks(range(C), names, rotation=90, fontsize=7)
    ax.set_yticks(range(C), names, fontsize=7)
    ax.set_xlabel("predicted class")
    return image


def _gate(ax: Any, result: Inference, truth: NDArray[np.int64]) -> None:
    right = result.anchor.argmax(axis=1) == truth
    bins = np.linspace(result.gate.min(), result.gate.max() + 1e-9, 30)
    for chosen, colour, label in ((right, RIGHT, "anchor right"), (~right, WRONG, "anchor wrong")):
        ax.hist(result.gate[chosen], bins, color=colour, alpha=0.7, label=label)
    ax.set(title="Gate: unsure queries listen to the graph", xlabel="recurrence weight r", ylabel="queries")
    ax.legend(frameon=False)


def _reliability(ax: Any, P: NDArray[np.float64], truth: NDArray[np.int64]) -> None:
    confidence, right = P.max(axis=1), P.argmax(axis=1) == truth
    edges = np.linspace(0, 1, 11)
    place = np.clip(np.digitize(confidence, edges) - 1, 0, 9)
    filled = [b for b in range(10) if (place == b).sum() >= 10]
    ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    ax.plot(
        [confidence[place == b].mean() for b in filled],
        [right[place == b].mean() for b in filled],
        marker="o",
        color=RIGHT,
    )
    ax.set(title="Reliability", xlabel="probability given", ylabel="share right", xlim=(0, 1), ylim=(0, 1.02))
