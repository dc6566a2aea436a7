"""A folder of unlabelled images → which of them to label next, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.console import Console

from bideta.cli._encoding import encode_images, exit_incomplete, open_file, readable_names
from bideta.cli._options import BatchSize, EncoderSettings, SensorsEncoder
from bideta.cli._settings import parse_settings
from bideta.cli._table import check_place, write_table
from bideta.cli._terminal import note
from bideta.deploy import Suggestion, suggestions
from bideta.images.folders import find_images, is_press
from bideta.images.reading import shown
from bideta.service.choices import DEFAULT_ENCODER
from bideta.service.plugins import load_plugin

DOUBT = "doubt: 0 = the sensor is sure of its guess, 1 = another class is as likely"
COLUMNS = ("path", "reason", "covers", "doubt", "guess")


def main(
    pool: Annotated[Path, typer.Argument(help="folder of unlabelled images, searched to any depth")],
    budget: Annotated[int, typer.Option(min=1, help="images to suggest")] = 10,
    sensor: Annotated[
        Path | None, typer.Option(help="file written by bideta adapt, where some images are labelled already")
    ] = None,
    encoder: SensorsEncoder = None,
    settings: EncoderSettings = None,
    csv: Annotated[Path | None, typer.Option(help="CSV to write")] = None,
    presses: Annotated[
        bool, typer.Option("--presses", help="images in the same folder are one press: suggest one of each")
    ] = False,
    batch_size: BatchSize = 64,
) -> None:
    """Suggest the images whose labels help most, best first.

    Without --sensor nothing is labelled yet and the images are chosen to cover the pool; with it, to cover what the
    sensor doubts. Label some, adapt, and ask again.
    """
    check_place(csv)
    paths = find_images(pool)
    if sensor is None:
        adapted = None
        loaded = load_plugin("encoder", encoder or DEFAULT_ENCODER, parse_settings(settings))
    else:
        opened = open_file(sensor, encoder, settings)
        adapted, loaded = opened.adapted, opened.encoder
    encoded = encode_images(loaded, paths, batch_size)
    names = readable_names(paths, pool, encoded)
    press = press_numbers(paths, pool, presses)
    press = None if press is None else np.unique(press[encoded.rows], return_inverse=True)[1]
    there, what = (len(names), "images") if press is None else (int(press.max()) + 1, "presses")
    if budget > there:
        note(f"note: --budget is {budget}, there are {there} {what}")
    suggested = suggestions(encoded.readouts, min(budget, there), adapted, press)
    guesses = [""] * len(names) if adapted is None else list(map(str, adapted.predict(encoded.readouts)))
    console = Console(soft_wrap=True)
    lines = [(shown(names[one.row]), *reasons(one, shown(guesses[one.row]))) for one in suggested]
    for line in aligned(lines):
        console.print(line, markup=False, highlight=False)
    if adapted is not None:
        note(DOUBT)
    if csv is not None:
        write_table(csv, COLUMNS, (row(one, names[one.row], guesses[one.row]) for one in suggested))
    exit_incomplete(encoded)


def press_numbers(paths: Sequence[Path], pool: Path, presses: bool) -> NDArray[np.intp] | None:
    """The press of every image; None where nothing says which images are frames of one press.

    A press is a folder called "press 1", …; where no folder is called so and ``presses`` is set, any folder inside the
    pool. An image that lies in none is a press of its own.
    """
    folders = {path.parent for path in paths if is_press(path.parent.name)}
    if not folders and not presses:
        return None
    folders = folders or {path.parent for path in paths if path.parent != pool}
    whole = [str(path.parent if path.parent in folders else path) for path in paths]
    return np.unique(whole, return_inverse=True)[1]


def row(suggestion: Suggestion, name: str, guess: str) -> tuple[str, str, int, str, str]:
    """``COLUMNS`` of one suggestion."""
    why = ", ".join(reasons(suggestion, guess))
    return name, why, suggestion.covers, f"{suggestion.doubt:.3f}", guess


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
