"""Image files → readouts on the command line: a progress bar, and a word about what is odd."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from bideta.cli._settings import parse_settings
from bideta.cli._terminal import note, progress
from bideta.encoders import Encoder
from bideta.images.folders import relative
from bideta.service.encoding import Encoded, encode_files
from bideta.service.sensors import OpenSensor, colour_warning, open_sensor

INCOMPLETE = 1  # exit code: done, except for the files that were named


def open_file(path: Path, encoder: str | None, pairs: Sequence[str] | None) -> OpenSensor:
    """The sensor of a file with its encoder; ``pairs`` are settings as typed."""
    opened = open_sensor(path, encoder, parse_settings(pairs))
    if opened.warning:
        note(f"warning: {opened.warning}")
    return opened


def encode_images(encoder: Encoder, paths: Sequence[Path], batch_size: int) -> Encoded:
    """Readouts of the readable files; the others are named, and counted."""
    with progress("encode") as step:
        encoded = encode_files(encoder, paths, batch_size, step)
    for reason in encoded.broken.values():
        note(reason)
    if encoded.broken:
        note(f"{len(encoded.broken)} of {len(paths)} images could not be read")
    return encoded


def encode_queries(opened: OpenSensor, paths: Sequence[Path], batch_size: int) -> Encoded:
    """The same for images that the sensor is to answer; a warning where their colours look exchanged."""
    encoded = encode_images(opened.encoder, paths, batch_size)
    odd = colour_warning(opened.adapted.sensor_.origin, encoded.colour)
    if odd:
        note(f"warning: {odd}")
    return encoded


def readable_names(paths: Sequence[Path], root: Path, encoded: Encoded) -> list[str]:
    """The readable files' names below ``root``."""
    return [relative(paths[row], root) for row in encoded.rows]


def exit_incomplete(encoded: Encoded) -> None:
    """Leave with exit code 1 where files had to be left out."""
    if encoded.broken:
        raise typer.Exit(INCOMPLETE)
