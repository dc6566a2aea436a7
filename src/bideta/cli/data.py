"""Check a dataset on disk, and encode it into the cache."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from bideta.cli._drawing import draw_tiles
from bideta.cli._leak import leak_command
from bideta.cli._options import BatchSize, Download, SomeEncoder
from bideta.cli._settings import parse_settings
from bideta.cli._table import check_place
from bideta.cli._terminal import plain, progress
from bideta.datasets.on_disk.check import Report
from bideta.datasets.on_disk.check import check as check_dataset
from bideta.datasets.on_disk.dataset import FileDataset
from bideta.images.png import ENDINGS
from bideta.images.reading import shown
from bideta.protocol.deferred_encoder import reading_settings
from bideta.protocol.readout_cache import read_or_encode
from bideta.service.choices import DEFAULT_ENCODER
from bideta.service.plugins import load_plugin

EXAMPLES = """
bideta data check sitr downloads/sitr --picture backgrounds.png
bideta data encode sitr downloads/sitr --cache cache/
bideta data leak support/
"""

app = typer.Typer(help="Datasets on disk: check them, encode them.", no_args_is_help=True)

DOES_NOT_FIT = 1  # exit code
WIDTH = 120  # columns of the table where no terminal says how wide it is
SHOWN = 40  # problems printed before the rest is only counted

Name = Annotated[str, typer.Argument(help="sitr, tacverse, tacquad, tactip or folder")]
Root = Annotated[Path, typer.Argument(help="where the release was unpacked")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="setting of the dataset, name=value; may be repeated")
]


@app.command()
def check(
    name: Name,
    root: Root,
    settings: Settings = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="read only so many images of each class; all unless given")
    ] = None,
    reduced: Annotated[
        bool, typer.Option("--reduced", help="a smaller copy: fewer images, equally many per class")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option(help="PNG of every sensor's background (or first image), side by side")
    ] = None,
) -> None:
    """Compare a dataset on disk with what is expected; exit code 1 where it does not fit."""
    check_place(picture, ENDINGS)
    try:
        dataset = _load(name, root, settings)
    except FileNotFoundError as error:
        Console(stderr=True, soft_wrap=True).print(
            f"error: {plain(str(error))}", markup=False, highlight=False
        )
        raise typer.Exit(DOES_NOT_FIT) from None
    with progress(f"check {name}") as step:
        report = check_dataset(dataset, sample, reduced, step)
    _print(dataset, report)
    if picture is not None:
        draw_tiles(backgrounds(dataset), picture)
    if dataset.info.assumed:
        _ask(dataset, picture)
    if report.problems:
        raise typer.Exit(DOES_NOT_FIT)


@app.command()
def encode(
    name: Name,
    root: Root,
    cache: Annotated[Path, typer.Option(help="folder that keeps the readouts")],
    encoder: SomeEncoder = DEFAULT_ENCODER,
    sensors: Annotated[
        list[str] | None, typer.Option("--sensor", help="only this one; may be repeated")
    ] = None,
    settings: Settings = None,
    encoder_settings: Annotated[
        list[str] | None, typer.Option("--encoder-set", help="setting of the encoder, name=value")
    ] = None,
    batch_size: BatchSize = 64,
    download: Download = False,
) -> None:
    """Encode every sensor and split into a cache; a second run continues where the first stopped."""
    dataset = _load(name, root, settings)
    loaded = load_plugin(
        "encoder",
        encoder,
        reading_settings(encoder, parse_settings(encoder_settings), dataset.info),
        download=download,
    )
    console = Console(stderr=True, soft_wrap=True)
    info = dataset.info
    everyone = dict.fromkeys(filter(None, (info.source, *info.development, *info.targets)))
    for sensor in sensors or everyone:
        for split in info.splits:
            frames = dataset.frames(sensor, split)
            began = time.perf_counter()
            with progress(f"{sensor} {split}") as step:
                read_or_encode(
                    loaded, frames, cache, title=f"{name} {sensor} {split}", batch_size=batch_size, step=step
                )
            rate = len(frames) / (time.perf_counter() - began)
            console.print(f"{sensor} {split}: {len(frames)} images, {rate:.0f} images/s", highlight=False)


app.command("leak")(leak_command)


def _load(name: str, root: Path, settings: list[str] | None) -> FileDataset:
    """The dataset in ``root``; an error for one that is not read from disk."""
    dataset = load_plugin("dataset", name, {"root": root, **parse_settings(settings)})
    if not isinstance(dataset, FileDataset):
        raise ValueError(f"{name} is not read from a folder of images")
    return dataset


def backgrounds(dataset: FileDataset) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.uint8]]]:
    """Caption → each sensor's background, or its first image where the release has no calibration."""
    tiles = {}
    for sensor in dataset.sensors:
        calibration = dataset.calibration(sensor) if sensor in dataset.backgrounds else None
        if calibration is not None:
            folder = dataset.backgrounds[sensor][0].parent.parent.name
            tiles[f"{folder} = {sensor}"] = calibration[0]
        elif dataset.listings[sensor, dataset.info.splits[0]].paths:
            tiles[sensor] = dataset.frames(sensor, dataset.info.splits[0]).images[0]
    return tiles


def _ask(dataset: FileDataset, picture: Path | None) -> None:
    """Show every background as its mean colour, and ask which sensor is which."""
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for caption, tile in backgrounds(dataset).items():
        red, green, blue = np.asarray(tile).reshape(-1, 3).mean(axis=0)
        console.print(f"background of {caption}?  R G B {red:.0f} {green:.0f} {blue:.0f}")
    look = f"look at {picture}" if picture is not None else "draw them with --picture FILE.png, look"
    names = ",".join(dataset.sensors)
    console.print(f"question: is this the right order? {look}, and pass yours: --set sensors={names}")


def _print(dataset: FileDataset, report: Report) -> None:
    console = Console(soft_wrap=True)
    console.print(f"{dataset.info.title} in {shown(dataset.root)}", markup=False, highlight=False)
    table = Table("sensor", "split", box=SIMPLE, padding=(0, 1))
    for column in ("classes", "images", "per class", "expected", "unreadable", "size", "R G B"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in report.rows:
        fewest, most = row.counts.min(), row.counts.max()
        table.add_row(
            shown(row.sensor),
            row.split,
            f"{np.count_nonzero(row.counts)}/{len(row.counts)}",
            str(row.counts.sum()),
            str(most) if fewest == most else f"{fewest}–{most}",
            "–" if row.expected is None else str(row.expected),
            str(row.unreadable),
            ", ".join(row.sizes[:2]) + (" …" if len(row.sizes) > 2 else ""),
            "–" if row.colour is None else " ".join(f"{value:.0f}" for value in row.colour),
        )
    Console(width=None if console.is_terminal else WIDTH).print(table)
    for line in report.notes:
        console.print(f"note: {shown(line)}", markup=False, highlight=False)
    for line in report.problems[:SHOWN]:
        console.print(f"does not fit: {shown(line)}", markup=False, highlight=False)
    if len(report.problems) > SHOWN:
        console.print(f"… and {len(report.problems) - SHOWN} more", highlight=False)
    verdict = f"{len(report.problems)} problems" if report.problems else "everything fits"
    console.print(verdict, highlight=False)
