"""The method as a diagram in which every panel is a measurement of one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bideta.estimator import Bideta
from bideta.method.algorithm import Inference
from bideta.presets import CLASSIFICATION
from bideta.report import pyplot, wording
from bideta.report.figures import BLUE, CYCLE, GREY, VERMILION, WIDTH, Figure, save
from bideta.report.figures.small_episode import SmallEpisode, small_episode
from bideta.report.run_data import RunData

PLACES = {  # panel → row, column: memory above, geometry below, both meet on the right
    "h1": (0, 0),
    "h2": (1, 0),
    "anchor": (0, 1),
    "gate": (0, 2),
    "plain": (1, 1),
    "graph": (1, 2),
    "steps": (1, 3),
    "answer": (0, 3),
}
ARROWS = (
    ("h1", "anchor"),
    ("h1", "plain"),
    ("h2", "anchor"),
    ("h2", "plain"),
    ("anchor", "gate"),
    ("plain", "graph"),
    ("graph", "steps"),
    ("gate", "steps"),
    ("steps", "answer"),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def draw(dataset: str, encoder: str, data: RunData, path: Path) -> Figure:
    """Readouts, anchor, graph before and after the spectral step, gate, recurrence."""
    episode = small_episode(data.dataset(dataset), data.encoder(encoder))
    adapted = Bideta(**CLASSIFICATION).fit(episode.support, episode.support_labels)
    result = adapted.infer(episode.query)
    plain = Bideta(**{**CLASSIFICATION, "gamma": 0.0}).fit(episode.support, episode.support_labels)
    before = plain.infer(episode.query)
    truth, names = episode.query_labels, episode.classes
    figure = pyplot().figure(figsize=(WIDTH, 5.6))
    grid = figure.add_gridspec(2, 4, left=0.02, right=0.985, top=0.88, bottom=0.11, wspace=0.34, hspace=0.55)
    axes = {name: figure.add_subplot(grid[place]) for name, place in PLACES.items()}
    for number, name in enumerate(("h1", "h2")):
        _readout(axes[name], episode, number)
    _probabilities(axes["anchor"], result.anchor, truth, "2  anchor P₀", names)
    _gate(axes["gate"], result, truth)
    _graph(axes["plain"], before.graph, truth, "3a  graph, plain geometry")
    _graph(axes["graph"], result.graph, truth, "3b  after the spectral step")
    _steps(axes["steps"], adapted, episode)
    _probabilities(axes["answer"], result.proba, truth, "6  answer", names)
    for start, end in ARROWS:
        _arrow(figure, axes[start], axes[end])
    where = f"{wording.sensor_label(episode.sensor)}, {len(truth)} queries of {len(names)} objects"
    figure.suptitle(f"Two readouts of a frozen encoder → labels for a whole batch ({where})", fontsize=11)
    shots = int(np.bincount(episode.support_labels).max())
    caption = (
        f"The method, drawn from one run on {wording.dataset_title(dataset)} {wording.sensor_label(episode.sensor)} "
        f"with the encoder {encoder}: {len(episode.classes)} objects, {shots} labelled contacts each (large marks in "
        f"1), {len(truth)} queries sorted by their true object. 1 the two readouts, first two principal components; 2 "
        "the memory's class probabilities; 3 which queries are neighbours, before and after the spectral step; 4 how "
        "much each query listens to its neighbours; 5 accuracy over the iterations; 6 the answer."
    )
    return save(figure, path, caption)


def _readout(ax: Any, episode: SmallEpisode, number: int) -> None:
    query, support = episode.query[number], episode.support[number]
    mean = query.mean(axis=0)
    axes = np.linalg.svd(query - mean, full_matrices=False)[2][:2]
    Q, S = (query - mean) @ axes.T, (support - mean) @ axes.T
    for c in range(len(episode.classes)):
        style = {"color": CYCLE[c % len(CYCLE)], "marker": MARKERS[c % len(MARKERS)]}
        asked, known = episode.query_labels == c, episode.support_labels == c
        ax.scatter(*Q[asked].T, s=7, alpha=0.5, linewidths=0, **style)
        ax.scatter(*S[known].T, s=42, edgecolors="black", linewidths=0.7, **style)
    ax.set(xticks=[], yticks=[])
    ax.set_title(f"1  readout h{'₁₂'[number]}", fontsize=9, loc="left")


def _probabilities(
    ax: Any, P: NDArray[np.float64], truth: NDArray[np.int64], title: str, classes: tuple[str, ...]
) -> None:
    order = np.argsort(truth, kind="stable")
    ax.imshow(P[order], aspect="auto", vmin=0, vmax=1, interpolation="nearest")
    names = [name.replace("_", " ") for name in classes]
    ax.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor", fontsize=7)
    for c, tick in enumerate(ax.get_xticklabels()):
        tick.set_color(CYCLE[c % len(CYCLE)])  # the colours of the readouts
    ax.set_yticks([])
    right = (P.argmax(axis=1) == truth).mean()
    ax.set_title(f"{title}: {right:.0%} right", fontsize=9, loc="left")


def _graph(ax: Any, G: csr_array, truth: NDArray[np.int64], title: str) -> None:
    order = np.argsort(truth, kind="stable")
    dense = G.toarray()[np.ix_(order, order)]
    inside = float((dense * (truth[order][:, None] == truth[order])).sum() / dense.sum())
    dark = np.sqrt(np.quantile(dense, 0.995))
    ax.imshow(np.sqrt(dense), cmap="Greys", interpolation="nearest", aspect="auto", vmax=dark)
    edges = np.cumsum(np.bincount(truth))[:-1] - 0.5
    for edge in edges:
        ax.axhline(edge, color=BLUE, linewidth=0.4)
        ax.axvline(edge, color=BLUE, linewidth=0.4)
    ax.set(xticks=[], yticks=[])
    ax.set_xlabel(f"{inside:.0%} of the weight\njoins equal objects", fontsize=8)
    ax.set_title(title, fontsize=9, loc="left")


def _arrow(figure: Any, start: Any, end: Any) -> None:
    """From the side of one panel to the facing side of another; upwards where they share a column."""
    from matplotlib.patches import FancyArrowPatch

    a, b = start.get_position(), end.get_position()
    if abs(a.x0 - b.x0) < 0.01:
        x = (a.x0 + a.x1) / 2
        places = (x, a.y1 + 0.045), (x, b.y0 - 0.085)  # clear of title and tick labels
    else:
        height = 0.5 if abs(a.y0 - b.y0) < 0.01 else 0.35 if a.y0 > b.y0 else 0.65
        arrive = 0.5 if abs(a.y0 - b.y0) < 0.01 else 0.65 if a.y0 > b.y0 else 0.35
        places = (a.x1 + 0.004, a.y0 + height * a.height), (b.x0 - 0.006, b.y0 + arrive * b.height)
    style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 11, "color": GREY, "linewidth": 1.3}
    figure.add_artist(FancyArrowPatch(*places, transform=figure.transFigure, **style))


def _gate(ax: Any, result: Inference, truth: NDArray[np.int64]) -> None:
    right = result.anchor.argmax(axis=1) == truth
    bins = np.linspace(result.gate.min(), result.gate.max() + 1e-9, 25)
    parts = [result.gate[right], result.gate[~right]]
    ax.hist(parts, bins, stacked=True, color=[GREY, VERMILION], label=["anchor right", "anchor wrong"])
    ax.set_xlabel("weight r of the neighbours", fontsize=8)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.legend(frameon=False, fontsize=7, loc="upper center")
    ax.set_title("4  gate", fontsize=9, loc="left")


def _steps(ax: Any, adapted: Bideta, episode: SmallEpisode) -> None:
    truth = episode.query_labels
    steps = range(adapted.n_iter + 1)
    shares = []
    for n_iter in steps:
        answers = adapted.set_params(n_iter=n_iter).infer(episode.query).proba.argmax(axis=1)
        shares.append(100 * (answers == truth).mean())
    ax.set_xlim(-3.2, adapted.n_iter + 0.5)  # room for the numbers inside
    ax.set_xticks(range(0, adapted.n_iter + 1, max(1, adapted.n_iter // 5)))
    ax.plot(steps, shares, marker="o", markersize=4, color=VERMILION)
    ax.axhline(shares[0], color=GREY, linestyle=":", linewidth=1)
    ax.set_xlabel("iteration t", fontsize=8)
    ax.tick_params(axis="y", direction="in", pad=-22, labelsize=7)
    ax.set_ylim(min(shares) - 2, max(shares) + 2)
    ax.set_title("5  recurrence: accuracy (%)", fontsize=9, loc="left")
