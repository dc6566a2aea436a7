"""A folder of images → the most likely enrolled identities of each, best first."""

from __future__ import annotations

from typing import Annotated

import typer

from bideta.cli._encoding import encode_queries, exit_incomplete, open_file, readable_names
from bideta.cli._options import BatchSize, CsvOut, EncoderSettings, Images, SensorFile, SensorsEncoder
from bideta.cli._table import check_place, write_table
from bideta.cli._terminal import note
from bideta.images.folders import find_images
from bideta.images.reading import shown


def main(
    sensor: SensorFile,
    queries: Images,
    out: CsvOut,
    top: Annotated[int, typer.Option(min=1, help="identities per image; cut to the number enrolled")] = 5,
    encoder: SensorsEncoder = None,
    settings: EncoderSettings = None,
    batch_size: BatchSize = 64,
) -> None:
    """Rank the enrolled identities for all images of a folder jointly; columns path, rank_1, rank_2, …"""
    check_place(out)
    paths = find_images(queries)
    opened = open_file(sensor, encoder, settings)
    encoded = encode_queries(opened, paths, batch_size)
    top = min(top, len(opened.adapted.classes_))
    ranking = opened.adapted.rank(encoded.readouts, top=top)
    names = readable_names(paths, queries, encoded)
    columns = ("path", *(f"rank_{place}" for place in range(1, top + 1)))
    write_table(out, columns, ((name, *map(str, row)) for name, row in zip(names, ranking, strict=True)))
    note(f"{shown(out)}: {len(names)} images ranked")
    exit_incomplete(encoded)
