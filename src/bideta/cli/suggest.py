"""``bideta suggest``: a folder of unlabelled images → which of them to label next, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.cells import cell_len
from rich.console import Console

from bideta.cli._sensor import (
    DEFAULT_ENCODER,
    encode,
    exit_incomplete,
    named,
    open_sensor,
    report_broken,
)
from bideta.cli._settings import load_plugin, parse_settings
from bideta.cli._table import check_place, write_table
from bideta.cli._terminal import note
from bideta.cli.predict import find_images
from bideta.deploy.suggest import Suggestion, suggestions
from bideta.images.folders import is_press
from bideta.images.reading import shown
from bideta.plugins import load_encoder

DOUBT = "doubt: 0 = the sensor is sure of its guess, 1 = another class is as likely"
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
    called = {path.parent for path in paths if is_press(path.parent.name)}
    folders = called or ({path.parent for path in paths if path.parent != pool} if presses else set())
    presses = presses or bool(called)  # a press is a folder, or an image that lies in none
    whole = [str(path.parent if path.parent in folders else path) for path in paths]
    groups = np.unique([whole[row] for row in encoded.rows], return_inverse=True)[1]
    there, what = (int(groups.max()) + 1, "presses") if presses else (len(names), "images")
    if budget > there:
        note(f"note: --budget is {budget}, there are {there} {what}")
    found = suggestions(encoded.readouts, min(budget, there), adapted, groups=groups if presses else None)
    guesses = [""] * len(names) if adapted is None else list(map(str, adapted.predict(encoded.readouts)))
    rows = [
        (
            names[one.row],
            ", ".join(reasons(one, guesses[one.row])),
            one.covers,
            f"{one.doubt:.3f}",
            guesses[one.row],
        )
        for one in found
    ]
    console = Console(soft_wrap=True)
    lines = [(shown(Path(names[one.row])), *reasons(one, shown(guesses[one.row]))) for one in found]
    for line in aligned(lines):
        console.print(line, markup=False, highlight=False)
    if adapted is not None:
        note(DOUBT)
    if csv is not None:
        write_table(csv, COLUMNS, rows)
    exit_incomplete(encoded)


def reasons(suggestion: Suggestion, guess: str) -> tuple[str, str]:
    """Why an image is suggested, in words; the guess is empty where nothing is labelled yet."""
    images = "1 image" if suggestion.covers == 1 else f"{suggestion.covers} images"
    known = f"doubt {suggestion.doubt:.2f} (guess: {guess})" if guess else "none labelled near"
    return f"stands for {images}", known


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines whose columns begin below each other.

    >>> aligned([("a.png", "x"), ("longer.png", "y")])
    ['a.png       x', 'longer.png  y']
    """
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
