"""``bideta demo``: a new (simulated) sensor from failure to working, offline."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from threadpoolctl import threadpool_limits

from bideta import Bideta, load_dataset, load_encoder, load_method, presets
from bideta.datasets import Frames
from bideta.encoders import Encoder, Readouts
from bideta.protocol.draw import draw_support

SOURCE_STRIDE = 4  # every fourth source frame: neighbouring frames of a press are nearly alike
ROWS = (
    ("simpleshot", "SimpleShot"),
    ("logistic", "logistic regression on the support"),
    ("bideta", "BIDETA"),
)


def main(
    sensor: Annotated[str, typer.Option(help="the new sensor: Hex, Wedge, Mini_1, Mini_2, Mini_4")] = "Hex",
    shots: Annotated[int, typer.Option(min=1, help="labelled contacts per class")] = 8,
    seed: Annotated[int, typer.Option(help="which contacts get a label")] = 0,
    encoder: Annotated[str, typer.Option(help="frozen encoder")] = "twin-tvl",
    scale: Annotated[float, typer.Option(help="share of the full dataset")] = 0.5,
    out: Annotated[Path, typer.Option(help="picture to write")] = Path("demo.png"),
) -> None:
    """Adapt a frozen encoder to a sensor it has never seen, and show what changed (simulated)."""
    console = Console()
    dataset = load_dataset("simulated-sitr", scale=scale)
    frozen = load_encoder(encoder)
    info = dataset.info
    console.print(
        f"[bold]{sensor}[/bold] is new to the encoder [bold]{encoder}[/bold], which has seen "
        f"{info.source}. {len(info.classes)} objects; everything here is simulated."
    )
    parts = {
        "source": (info.source, "train"),
        "source_test": (info.source, "test"),
        "pool": (sensor, "train"),
        "query": (sensor, "test"),
    }
    features: dict[str, Readouts] = {}
    labels: dict[str, NDArray[np.int64]] = {}
    for part, (name, split) in track(parts.items(), "rendering and encoding", console=console):
        frames = dataset.frames(name, split)
        rows = (
            np.arange(0, len(frames), SOURCE_STRIDE) if part.startswith("source") else np.arange(len(frames))
        )
        if part == "pool":
            rows = draw_support(frames.labels, shots, seed, sensor)
        features[part], labels[part] = encode(frozen, frames, rows), frames.labels[rows]
    source = (features["source"], labels["source"])

    table = Table(
        title=f"{shots} labelled contacts per class on {sensor}, {len(labels['query'])} queries (simulated)"
    )
    for column in ("method", "accuracy", "seconds to adapt and answer"):
        table.add_column(column, justify="left" if column == "method" else "right")
    with console.status("source head"), threadpool_limits(1):  # work this small is slower on two threads
        head = load_method("frozen").fit(features["pool"], labels["pool"], source=source)
        home = (head.predict(features["source_test"]) == labels["source_test"]).mean()
        before = head.predict_proba(features["query"])
    away = (before.argmax(axis=1) == labels["query"]).mean()
    table.add_row(f"source head on its own sensor, {info.source}", f"{home:.1%}", "")
    table.add_row(f"source head on {sensor}, unchanged", f"{away:.1%}", "")
    for name, title in ROWS:
        with console.status(title), threadpool_limits(1):
            start = time.perf_counter()
            method = load_method(name).fit(features["pool"], labels["pool"])
            accuracy = (method.predict(features["query"]) == labels["query"]).mean()
            seconds = time.perf_counter() - start
        table.add_row(title, f"{accuracy:.1%}", f"{seconds:.2f}", style="bold" if name == "bideta" else None)
    console.print(table)
    console.print(f"chance is {1 / len(info.classes):.1%}")

    from bideta.report.demo import draw

    result = Bideta(**presets.CLASSIFICATION).fit(features["pool"], labels["pool"]).infer(features["query"])
    draw(
        out,
        same_contacts(dataset, [info.source, sensor, *(t for t in info.targets if t != sensor)][:4]),
        list(info.classes),
        labels["query"],
        before,
        result,
        f"{sensor}, {shots} labelled contacts per class (simulated)",
    )
    console.print(f"picture: {out}")


def encode(encoder: Encoder, frames: Frames, rows: NDArray[np.intp]) -> Readouts:
    """Readouts of some frames."""
    previous = None if encoder.info.channels == 3 else frames.previous[rows]
    return encoder.encode(frames.images[rows], previous)


def same_contacts(dataset: Any, sensors: list[str]) -> dict[str, NDArray[np.uint8]]:
    """One contact of every class, rendered by each sensor."""
    from bideta.sim import render

    contacts = dataset.contacts(dataset.info.source, "test")
    middle = [np.flatnonzero(contacts.object == c)[10] for c in range(len(dataset.info.classes))]
    return {sensor: render(contacts[middle], sensor, size=64, seed=0) for sensor in sensors}
