"""A contact as a session keeps it, and which contacts are frames of one press."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bideta.images.looks import WIDTH


@dataclass
class Contact:
    """One picture of one touch. With a label it is part of the support; without, it is a query."""

    id: str  # made by the server; never part of a path
    name: str
    label: str | None
    truth: str | None  # known to the user and kept from the method; for scoring only
    press: str | None  # shared by frames of one press; None: a press of its own
    readouts: tuple[NDArray[np.float32], ...]  # one vector for each readout of the encoder
    colour: tuple[float, float, float]  # mean red, green and blue
    part: int  # the file of the store that holds its pictures
    suffix: str  # of the uploaded format
    digest: str = ""  # of the uploaded bytes; empty in sessions of earlier versions
    sketch: NDArray[np.float32] | None = None  # how it looks; None in sessions of earlier versions


def sketches_of(contacts: Sequence[Contact]) -> NDArray[np.float32]:
    """(m, 435) how contacts look; NaN where it was not kept."""
    unknown = np.full(WIDTH, np.nan, np.float32)
    rows = [unknown if contact.sketch is None else contact.sketch for contact in contacts]
    return np.array(rows, np.float32).reshape(-1, WIDTH)


def press_numbers(contacts: Sequence[Contact]) -> list[int]:
    """The press of every contact, numbered as they come."""
    number: dict[tuple[str | None, str], int] = {}
    presses = ((c.label, c.id) if c.press is None else (c.label, f"press {c.press}") for c in contacts)
    return [number.setdefault(press, len(number)) for press in presses]
