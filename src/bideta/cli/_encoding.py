"""Image files → readouts on the command line: a progress bar, and a word about what is odd."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import typer

from bideta.cli._places import check_sensor_file
from bideta.cli._settings import parse_settings
from bideta.cli._terminal import note, progress
from bideta.encoders import Encoder
from bideta.images.background import read_background
from bideta.images.batch_check import RELIABILITY
from bideta.readers import Contacts, Pictures
from bideta.service.answers import Answers
from bideta.service.backgrounds import Others, to_subtract
from bideta.service.encoding import Encoded, encode_files
from bideta.service.sensors import (
    OpenQuantities,
    OpenSensor,
    colour_warning,
    open_quantities,
    open_sensor,
)

INCOMPLETE = 1  # exit code: done, except for the files that were named
MARKED_FROM = 19  # hidden presses from which on --novelty 0.05 can mark anything


def open_file(
    path: Path, encoder: str | None, pairs: Sequence[str] | None, background: Path | None = None
) -> OpenSensor:
    """The sensor of a file with its encoder; ``pairs`` are settings as typed."""
    check_sensor_file(path)
    picture = None if background is None else read_background(background)
    opened = open_sensor(path, encoder, parse_settings(pairs), picture)
    if opened.warning:
        note(f"warning: {opened.warning}")
    return opened


def open_file_quantities(
    path: Path, encoder: str | None, pairs: Sequence[str] | None, background: Path | None = None
) -> OpenQuantities | None:
    """The quantities of a file with its encoder; None where it answers classes only."""
    check_sensor_file(path)
    picture = None if background is None else read_background(background)
    opened = open_quantities(path, encoder, parse_settings(pairs), picture)
    if opened is not None and opened.warning:
        note(f"warning: {opened.warning}")
    return opened


def encode_images(
    encoder: Encoder,
    pictures: Sequence[Path] | Pictures,
    batch_size: int,
    others: Others | None = None,
    lost: Sequence[str] = (),
) -> Encoded:
    """Readouts of the readable pictures, or of their differences to ``others``; the rest is named, and counted.

    So are ``lost`` parts of the input.
    """
    with progress("encode") as step:
        encoded = encode_files(encoder, pictures, batch_size, step, others)
    for reason in (*lost, *encoded.broken.values()):
        note(reason)
    if encoded.broken:
        note(f"{len(encoded.broken)} of {len(pictures)} images could not be read")
    return replace(encoded, lost=tuple(lost))


def encode_queries(
    opened: OpenSensor | OpenQuantities,
    contacts: Contacts,
    batch_size: int,
    root: Path,
    minus_untouched: bool = False,
) -> Encoded:
    """The same for contacts of the input ``root`` that the sensor is to answer.

    Whether they come from it is said by ``warn_of_pictures``, or with what the answers tell by ``warn_of_batch``.
    """
    sensor = opened.adapted.sensor_
    others, warning = to_subtract(sensor, opened.background, contacts, root, minus_untouched)
    encoded = encode_images(opened.encoder, contacts.pictures, batch_size, others, contacts.broken)
    odd = colour_warning(sensor.origin, encoded.colour) if sensor.look is None else ""
    for line in filter(None, (warning, odd)):
        note(f"warning: {line}")
    return encoded


def warn_of_pictures(
    opened: OpenSensor | OpenQuantities, encoded: Encoded, gives: tuple[str, ...] = ()
) -> None:
    """A warning where pictures seem to come from elsewhere, and what becomes of what the command ``gives``."""
    said = replace(opened.adapted.sensor_.check(encoded.sketches), gives=gives).warning
    if said:
        note(f"warning: {said}")


def warn_of_batch(answers: Answers, gives: tuple[str, ...] = (), hint: bool = True) -> None:
    """The same for contacts that were answered: one warning, of their pictures and of contacts of no enrolled class."""
    if answers.no_reliability and not answers.check.withheld:  # nothing is lowered where there is no number
        gives = tuple(what for what in gives if what != RELIABILITY)
    said = replace(answers.check, gives=gives).warning
    if said and hint and "never enrolled" in said and answers.hidden.n_presses >= MARKED_FROM:
        said += ". bideta predict --novelty 0.05 marks the strange ones"
    if said:
        note(f"warning: {said}")


def readable_names(contacts: Contacts, encoded: Encoded) -> list[str]:
    """The names of the contacts that could be read."""
    return [contacts.names[row] for row in encoded.rows]


def exit_incomplete(encoded: Encoded) -> None:
    """Leave with exit code 1 where files, or parts of the input, had to be left out."""
    if encoded.broken or encoded.lost:
        raise typer.Exit(INCOMPLETE)
