"""``bideta suggest``: a folder of unlabelled images → which of them to label next, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from bideta.cli._sensor import DEFAULT_ENCODER, encode, exit_incomplete, named, open_sensor, report_broken
from bideta.cli._settings import load_plugin, parse_settings
from bideta.cli._table import check_place, write_table
from bideta.cli.predict import find_images
from bideta.datasets._images import shown
from bideta.deploy.suggest import Suggestion, suggestions
from bideta.plugins import load_encoder

COLUMNS = ("path", "reason", "covers", "doubt", "guess")


def main(
    pool: Annotated[Path, typer.Argument(help="folder of unlabelled images, searched to any depth")],
    budget: Annotated[int, typer.Option(min=1, help="images to suggest")] = 10,
    sensor: Annotated[
        Path | None, typer.Option(help="file written by bideta adapt, where some images are labelled already")
    ] = None,
    encoder: Annotated[str | None, typer.Option(help="the sensor's own unless given")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="setting of the encoder, name=value; may be repeated")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="CSV to write")] = None,
    presses: Annotated[
        bool, typer.Option("--presses", help="images in the same folder are one press: suggest one of each")
    ] = False,
    batch_size: Annotated[int, typer.Option(min=1, help="images in memory at a time")] = 64,
) -> None:
    """Suggest the images whose labels help most, best first.

    Without --sensor nothing is labelled yet and the images are chosen to cover the pool; with it, to cover what the
    sensor doubts. Label some, adapt, and ask again.
    """
    if csv is not None:
        check_place(csv)
    paths = find_images(pool)
    chosen = parse_settings(settings or [])
    if sensor is None:
        adapted, loaded = None, load_plugin(load_encoder, encoder or DEFAULT_ENCODER, chosen)
    else:
        opened = open_sensor(sensor, encoder, settings or [])
        adapted, loaded = opened.adapted, opened.encoder
    encoded = encode(loaded, paths, batch_size)
    report_broken(encoded, len(paths))
    names = named(paths, pool, encoded)
    groups = np.unique([str(paths[row].parent) for row in encoded.rows], return_inverse=True)[1]
    found = suggestions(
        encoded.readouts, min(budget, len(names)), adapted, groups=groups if presses else None
    )
    guesses = [""] * len(names) if adapted is None else list(map(str, adapted.predict(encoded.readouts)))
    rows = [
        (names[one.row], reason(one, guesses[one.row]), one.covers, f"{one.doubt:.3f}", guesses[one.row])
        for one in found
    ]
    console = Console(soft_wrap=True)
    for name, why, *_ in rows:
        console.print(f"{shown(Path(name))}  {why}", markup=False, highlight=False)
    if csv is not None:
        write_table(csv, COLUMNS, rows)
    exit_incomplete(encoded)


def reason(suggestion: Suggestion, guess: str) -> str:
    """Why an image is suggested, in words."""
    images = "1 image" if suggestion.covers == 1 else f"{suggestion.covers} images"
    stands = f"stands for {images}"
    return (
        f"{stands}, doubt {suggestion.doubt:.2f} (guess: {guess})"
        if guess
        else f"{stands}, none labelled near"
    )
