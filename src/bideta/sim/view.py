"""Where each pixel of a sensor looks: millimetres in the frame of the picture and on the gel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bideta.sim.design import SensorDesign
from bideta.sim.shapes import Array


@dataclass(frozen=True)
class View:
    """A pixel grid; all arrays are (size, size) in mm, the origin is the gel's middle."""

    x: Array  # picture frame, to the right
    y: Array  # picture frame, down
    gel_x: Array  # gel frame: rotated and mirrored against the picture
    gel_y: Array
    pixel: tuple[float, float]  # mm per pixel, across and down, in the middle of the picture
    radius: Array  # 0 in the middle, 1 in the corners


@lru_cache(maxsize=64)
def view_of(sensor: SensorDesign, size: int) -> View:
    """The sensor's pixel grid with lens distortion, keystone, rotation and mirror."""
    steps = (np.arange(size) + 0.5) * 2 / size - 1
    v, u = np.meshgrid(steps, steps, indexing="ij")  # −1..1, down and right
    radius2 = (u * u + v * v) / 2
    stretch = (1 + sensor.barrel * radius2) * (1 + sensor.keystone * v / 2)
    width, height = sensor.field_of_view
    x, y = u * stretch * width / 2, v * stretch * height / 2
    sideways = -x if sensor.mirror else x
    turn = np.deg2rad(sensor.rotation)
    gel_x, gel_y = sideways * np.cos(turn) - y * np.sin(turn), sideways * np.sin(turn) + y * np.cos(turn)
    return View(
        x=x.astype(np.float32),
        y=y.astype(np.float32),
        gel_x=gel_x.astype(np.float32),
        gel_y=gel_y.astype(np.float32),
        pixel=(width / size, height / size),
        radius=np.sqrt(radius2).astype(np.float32),
    )


def to_picture(sensor: SensorDesign, gel_x: Array, gel_y: Array) -> tuple[Array, Array]:
    """A direction on the gel, seen in the picture frame: the inverse of the rotation and mirror above."""
    turn = np.deg2rad(sensor.rotation)
    cos, sin = np.float32(np.cos(turn)), np.float32(np.sin(turn))
    x, y = gel_x * cos + gel_y * sin, gel_y * cos - gel_x * sin
    return (-x if sensor.mirror else x), y
