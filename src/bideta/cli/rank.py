"""A folder of images, or any other input → the most likely enrolled identities of each, best first."""

from __future__ import annotations

from typing import Annotated

import typer

from bideta.cli._encoding import (
    encode_queries,
    exit_incomplete,
    open_file,
    readable_names,
    warn_of_batch,
)
from bideta.cli._inputs import open_queries
from bideta.cli._options import (
    Background,
    BatchSize,
    EncoderSettings,
    Format,
    FramesPerPress,
    Input,
    Reading,
    SensorFile,
    SensorsEncoder,
    TableOut,
)
from bideta.cli._places import check_order, output_place
from bideta.cli._table import check_table_place, write_table
from bideta.cli._terminal import note
from bideta.cli._threads import threads_for
from bideta.images.reading import shown
from bideta.service.answers import answer
from bideta.spelling import counted

EXAMPLES = """
bideta rank hex.bideta queries/ -o ranking.csv --top 3
"""


def main(
    sensor: SensorFile,
    queries: Input,
    out: TableOut = None,
    top: Annotated[int, typer.Option(min=1, help="identities per image; cut to the number enrolled")] = 5,
    encoder: SensorsEncoder = None,
    settings: EncoderSettings = None,
    batch_size: BatchSize = 64,
    background: Background = None,
    format: Format = "",
    frames: FramesPerPress = None,
    read: Reading = None,
) -> None:
    """Rank the enrolled identities for all images of a folder jointly; columns path, rank_1, rank_2, …"""
    check_table_place(out)
    check_order(sensor, queries)
    contacts = open_queries(queries, format, frames, read)
    opened = open_file(sensor, encoder, settings, background)
    encoded = encode_queries(opened, contacts, batch_size, queries)
    top = min(top, len(opened.adapted.classes_))
    with threads_for(len(encoded.rows)):
        answers = answer(opened.adapted, encoded.readouts, sketches=encoded.sketches)
    warn_of_batch(answers)
    ranking = opened.adapted.classes_[answers.order[:, :top]]
    names = readable_names(contacts, encoded)
    columns = ("path", *(f"rank_{place}" for place in range(1, top + 1)))
    out = output_place(out, "ranking.csv")
    write_table(out, columns, ((name, *map(str, row)) for name, row in zip(names, ranking, strict=True)))
    note(f"{shown(out)}: {counted(len(names), 'image')} ranked")
    exit_incomplete(encoded)
