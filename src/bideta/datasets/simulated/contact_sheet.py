"""A contact sheet: one column per object, one row per sensor, names at the edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from bideta.sim import HOUSEHOLD, IDENTITIES, TACVERSE, Geometry, PressRange, presses, random_geometry, render

OBJECTS = {"household": HOUSEHOLD, "tacverse": TACVERSE, "identities": IDENTITIES}
RANDOM = "random"  # the fifth kind: pretraining geometry
RANDOM_COUNT = 16
MARGIN_LEFT, MARGIN_TOP, GAP = 116, 18, 2  # px
STILL = PressRange(offset_mm=0, angle_deg=0, depth_mm=(1.0, 1.0), tilt_deg=0, slide_mm=0, turn_deg=0)
FRAMES, MIDDLE = 20, 9  # the shown frame is in the middle of a press, at full depth


def find_objects(name: str, seed: int = 0) -> tuple[Geometry, ...]:
    """The objects of that kind; an unknown kind raises an error that lists the known ones."""
    if name == RANDOM:
        rng = np.random.default_rng(seed)
        return tuple(random_geometry(rng) for _ in range(RANDOM_COUNT))
    if name not in OBJECTS:
        raise ValueError(f"unknown objects {name!r}. Known: {', '.join([*OBJECTS, RANDOM])}")
    return OBJECTS[name]


def contact_sheet(
    geometries: Sequence[Geometry],
    sensors: Sequence[str],
    *,
    size: int = 64,
    seed: int = 0,
    ranges: PressRange = STILL,
) -> Image.Image:
    """The same contacts on every sensor; ``size`` px per picture, poses from ``ranges`` (default: centred)."""
    rng = np.random.default_rng(seed)
    contacts = presses(geometries, np.arange(len(geometries)), rng, frames=FRAMES, ranges=ranges)
    contacts = contacts[np.arange(len(geometries)) * FRAMES + MIDDLE]
    step = size + GAP
    sheet = Image.new(
        "RGB", (MARGIN_LEFT + len(geometries) * step, MARGIN_TOP + len(sensors) * step), "white"
    )
    draw = ImageDraw.Draw(sheet)
    for column, geometry in enumerate(geometries):
        draw.text((MARGIN_LEFT + column * step + 2, 3), geometry.name[: size // 6], fill="black")
    for row, sensor in enumerate(sensors):
        draw.text((4, MARGIN_TOP + row * step + size // 2 - 5), sensor, fill="black")
        for column, picture in enumerate(render(contacts, sensor, size=size, seed=seed)):
            sheet.paste(Image.fromarray(picture), (MARGIN_LEFT + column * step, MARGIN_TOP + row * step))
    return sheet
