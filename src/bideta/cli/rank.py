"""``bideta rank``: a folder of images → the most likely enrolled identities of each, best first."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bideta.cli._sensor import encode, exit_incomplete, named, open_sensor, report_broken, warn_colour
from bideta.cli._table import check_place, write_table
from bideta.cli._terminal import note
from bideta.cli.predict import find_images
from bideta.images.reading import shown


def main(
    sensor: Annotated[Path, typer.Argument(help="file written by bideta adapt")],
    queries: Annotated[Path, typer.Argument(help="folder of images, searched to any depth")],
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV to write")],
    top: Annotated[int, typer.Option(min=1, help="identities per image; cut to the number enrolled")] = 5,
    encoder: Annotated[str | None, typer.Option(help="the sensor's own unless given")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="setting of the encoder, name=value; may be repeated")
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="images in memory at a time")] = 64,
) -> None:
    """Rank the enrolled identities for all images of a folder jointly; columns path, rank_1, rank_2, …"""
    check_place(out)
    paths = find_images(queries)
    opened = open_sensor(sensor, encoder, settings or [])
    encoded = encode(opened.encoder, paths, batch_size)
    report_broken(encoded, len(paths))
    warn_colour(opened.origin, encoded)
    top = min(top, len(opened.adapted.classes_))
    ranking = opened.adapted.rank(encoded.readouts, top=top)
    names = named(paths, queries, encoded)
    columns = ("path", *(f"rank_{place}" for place in range(1, top + 1)))
    write_table(out, columns, ((name, *map(str, row)) for name, row in zip(names, ranking, strict=True)))
    note(f"{shown(out)}: {len(names)} images ranked")
    exit_incomplete(encoded)
