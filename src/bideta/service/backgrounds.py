"""The background of a sensor at work: given to encoders that ask for it, or subtracted before any encoder looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.encoders import AgainstBackground, Encoder
from bideta.images.lazy import ImageFiles
from bideta.images.reading import read_image, shown
from bideta.images.untouched import SUFFIX, untouched_folder, untouched_frames
from bideta.plugins import find, split
from bideta.quantity_sensor import QuantitySensor
from bideta.readers import Contacts, Pictures
from bideta.sensor import Sensor
from bideta.service.plugins import load_plugin

MINUS_UNTOUCHED = "minus_untouched"  # in a sensor's origin: its pictures were differences to untouched frames

Picture = NDArray[np.uint8]
Others = Callable[[int], Picture]  # row of a file → the picture that is subtracted from it


def needs_background(encoder: str) -> bool:
    """Whether the encoder asks for the difference to a background."""
    needs: bool = find("encoder", encoder).INFO.needs_background
    return needs


def load_against(
    encoder: str, settings: Mapping[str, Any], background: Picture | None, *, download: bool = False
) -> Encoder:
    """The encoder, with the background for each of its parts that asks for one."""
    parts, given = split("encoder", encoder), dict(settings)
    for part in parts:
        if needs_background(part):
            key = "background" if len(parts) == 1 else f"{part.partition(':')[0]}.background"
            if key in settings or "background" in settings:
                raise ValueError(f"{encoder} takes its background from --background, not from --set")
            given |= {} if background is None else {key: background}
    loaded: Encoder = load_plugin("encoder", encoder, given, download=download)
    return loaded


def against(encoder: Encoder, background: Picture) -> Encoder:
    """The loaded encoder with another background, where it asks for one."""
    return encoder.with_background(background) if isinstance(encoder, AgainstBackground) else encoder


def refuse_both(encoder: str, minus_untouched: bool) -> None:
    """Raise where untouched frames would be subtracted and then a background once more."""
    if minus_untouched and needs_background(encoder):
        raise ValueError(
            f"--minus-untouched subtracts already, and {encoder} would subtract a background from the differences; use "
            "one of both"
        )


def own_untouched(contacts: Contacts, root: Path) -> Pictures:
    """The untouched frame of each contact's press, of the recording or from the folder beside ``root``; an error where
    there is none."""
    if contacts.untouched is not None:
        return contacts.untouched
    beside = untouched_folder(root)
    if beside is None or not isinstance(contacts.pictures, ImageFiles):
        raise ValueError(
            f"--minus-untouched: no folder {shown(root)}{SUFFIX} beside {shown(root)}; expected untouched frames in "
            "folders of the same names, <class>/<press>/*"
        )
    return ImageFiles(untouched_frames(contacts.pictures.paths, root, beside))


def minus(untouched: Pictures) -> Others:
    """Each picture's own untouched frame, read when it is needed; frames of a press share it."""
    if not isinstance(untouched, ImageFiles):
        return lambda row: untouched[row]
    read, paths = lru_cache(maxsize=2)(read_image), untouched.paths
    return lambda row: read(paths[row])


def to_subtract(
    sensor: Sensor | QuantitySensor,
    background: Picture | None,
    contacts: Contacts,
    root: Path,
    minus_untouched: bool = False,
) -> tuple[Others | None, str]:
    """What is subtracted from each of the pictures that the sensor is to answer, and a warning.

    Nothing, unless the sensor was adapted on differences to untouched frames. Then the own untouched frames of
    the pictures, where the input has them or they lie beside ``root``; else ``background``, unless
    ``minus_untouched`` asks for the frames.
    """
    if not sensor.origin.get(MINUS_UNTOUCHED):
        if minus_untouched:
            raise ValueError(
                "--minus-untouched: the sensor was adapted on pictures as they are; adapt it with --minus-untouched too"
            )
        return None, ""
    if minus_untouched or contacts.untouched is not None or untouched_folder(root) is not None:
        return minus(own_untouched(contacts, root)), ""
    if background is None:
        raise ValueError(
            f"the sensor was adapted on differences to untouched frames, but there is no folder {shown(root)}{SUFFIX} "
            "and its file has no background; record untouched frames, or give a picture with --background"
        )
    return (
        lambda row: background,
        f"no untouched frames in {shown(root)}{SUFFIX}: one background is subtracted from every picture. Gel and light "
        "that have changed since look like contacts; expect many more errors",
    )
