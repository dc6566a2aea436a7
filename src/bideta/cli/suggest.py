"""A folder of unlabelled images → which of them to label next, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.console import Console

from bideta.cli._background import median_where_needed
from bideta.cli._encoding import (
    encode_images,
    encode_queries,
    exit_incomplete,
    open_file,
    open_file_quantities,
    readable_names,
    warn_of_pictures,
)
from bideta.cli._inputs import open_queries
from bideta.cli._options import BatchSize, EncoderSettings, Format, FramesPerPress, Reading, SensorsEncoder
from bideta.cli._places import check_sensor_file
from bideta.cli._settings import parse_settings
from bideta.cli._table import check_place, check_table_place, write_table
from bideta.cli._terminal import note
from bideta.deploy import Suggestion, suggest_quantities, suggestions
from bideta.images.files import write_atomic
from bideta.images.reading import shown
from bideta.service import to_label
from bideta.service.backgrounds import load_against
from bideta.service.choices import DEFAULT_ENCODER
from bideta.service.inputs import fitting_encoder
from bideta.service.sensors import answers_classes
from bideta.spelling import counted

if TYPE_CHECKING:  # with scikit-learn, which those who only answer classes go without
    from bideta.regressor import BidetaRegressor

DOUBT = "doubt: 0 = the sensor is sure of its guess, 1 = another class is as likely"
OPEN = "doubt: 0 = labelled contacts settle its quantities, 1 = they say nothing about it"
NUMBERS = (
    "numbers: images that it represents better than any labelled one and any further up; those below take over "
    "some of them, so that the numbers add up to more than there are"
)
COLUMNS = ("path", "reason", "covers", "doubt", "guess")

EXAMPLES = """
bideta suggest unlabelled/ --budget 10
bideta suggest unlabelled/ --sensor hex.bideta --csv label-these.csv
"""


def main(
    pool: Annotated[
        Path, typer.Argument(help="folder of unlabelled images, or any other input that predict takes")
    ],
    budget: Annotated[int, typer.Option(min=1, help="images to suggest")] = 10,
    sensor: Annotated[
        Path | None, typer.Option(help="file written by bideta adapt, where some images are labelled already")
    ] = None,
    encoder: SensorsEncoder = None,
    settings: EncoderSettings = None,
    csv: Annotated[Path | None, typer.Option(help="table to write: .csv, .jsonl or .parquet")] = None,
    presses: Annotated[
        bool, typer.Option("--presses", help="images in the same folder are one press: suggest one of each")
    ] = False,
    batch_size: BatchSize = 64,
    format: Format = "",
    frames: FramesPerPress = None,
    read: Reading = None,
    fiftyone: Annotated[Path | None, typer.Option(help="JSON to write for FiftyOne")] = None,
    label_studio: Annotated[Path | None, typer.Option(help="JSON of tasks to write for Label Studio")] = None,
) -> None:
    """Suggest the images whose labels help most, best first.

    Without --sensor nothing is labelled yet and the images are chosen to cover the pool; with it, to cover what the
    sensor doubts. Label some, adapt, and ask again. A sensor that answers quantities suggests the images whose
    measurement leaves least doubt about the others.
    """
    check_table_place(csv)
    for file in (fiftyone, label_studio):
        check_place(file)
    if sensor is not None:
        check_sensor_file(sensor)
    contacts = open_queries(pool, format, frames, read, presses)
    if sensor is None:
        adapted, measured = None, None
        name, given = fitting_encoder(contacts, encoder or DEFAULT_ENCODER, parse_settings(settings))
        loaded = load_against(name, given, median_where_needed(name, contacts.pictures))
        encoded = encode_images(loaded, contacts.pictures, batch_size, lost=contacts.broken)
    elif answers_classes(sensor):
        opened = open_file(sensor, encoder, settings)
        adapted, measured = opened.adapted, None
        encoded = encode_queries(opened, contacts, batch_size, pool)
        warn_of_pictures(opened, encoded)
    else:
        adapted, measured = None, open_file_quantities(sensor, encoder, settings)
        if measured is None:
            raise ValueError(f"{shown(sensor)} answers neither classes nor quantities; adapt again")
        encoded = encode_queries(measured, contacts, batch_size, pool)
        warn_of_pictures(measured, encoded)
    names = readable_names(contacts, encoded)
    press = None
    if contacts.presses is not None:
        press = np.unique(contacts.press_numbers[encoded.rows], return_inverse=True)[1]
    there, what = (len(names), "image") if press is None else (int(press.max()) + 1, "press")
    if budget > there:
        note(f"note: --budget is {budget}, there {'is' if there == 1 else 'are'} {counted(there, what)}")
    if measured is not None:
        suggested = suggest_quantities(encoded.readouts, min(budget, there), measured.adapted, press)
        guesses = [spoken(measured.adapted, row) for row in measured.adapted.predict(encoded.readouts)]
    else:
        suggested = suggestions(encoded.readouts, min(budget, there), adapted, press)
        guesses = [""] * len(names) if adapted is None else list(map(str, adapted.predict(encoded.readouts)))
    console = Console(soft_wrap=True)
    lines = [(shown(names[one.row]), *reasons(one, shown(guesses[one.row]))) for one in suggested]
    for line in aligned(lines):
        console.print(line, markup=False, highlight=False)
    if len(suggested) > 1:
        note(NUMBERS)
    if adapted is not None or measured is not None:
        note(OPEN if adapted is None else DOUBT)
    if csv is not None:
        write_table(csv, COLUMNS, (row(one, names[one.row], guesses[one.row]) for one in suggested))
    asked = fiftyone or label_studio
    if asked is not None:
        rows = [int(encoded.rows[one.row]) for one in suggested]
        files = to_label.picture_files(
            contacts.names, contacts.pictures, rows, asked.with_name(f"{asked.stem}-pictures")
        )
        doubtful = [
            to_label.Doubtful(
                str(file.resolve()),
                guesses[one.row],
                one.doubt if guesses[one.row] else 1.0,
                ", ".join(reasons(one, "")),
            )
            for one, file in zip(suggested, files, strict=True)
        ]
        if fiftyone is not None:
            write_atomic(fiftyone, to_label.fiftyone(doubtful))
        if label_studio is not None:
            write_atomic(label_studio, to_label.label_studio(doubtful))
    exit_incomplete(encoded)


def spoken(adapted: BidetaRegressor, values: NDArray[np.float64]) -> str:
    """The quantities of one contact in words."""
    pairs = zip(adapted.sensor_.targets, values, strict=True)
    return ", ".join(f"{target.name} {value:.3g} {target.unit}".rstrip() for target, value in pairs)


def row(suggestion: Suggestion, name: str, guess: str) -> tuple[str, str, int, str, str]:
    """``COLUMNS`` of one suggestion."""
    why = ", ".join(reasons(suggestion, guess))
    return name, why, suggestion.covers, f"{suggestion.doubt:.3f}", guess


def reasons(suggestion: Suggestion, guess: str) -> tuple[str, str]:
    """Why an image is suggested, in words; the guess is empty where nothing is labelled yet."""
    known = f"doubt {suggestion.doubt:.2f} (guess: {guess})" if guess else "none labelled near"
    return f"stands for {counted(suggestion.covers, 'image')}", known


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
