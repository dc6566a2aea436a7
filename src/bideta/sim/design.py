"""What a sensor design consists of: lights, skin, optics, gel and camera, each field with its unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Colour = tuple[float, float, float]  # linear red, green, blue; 1 is the camera's full scale


@dataclass(frozen=True)
class Light:
    """One LED or light bar beside the gel."""

    azimuth: float  # degrees in the image, 0 right, 90 down
    colour: Colour
    power: float = 0.5  # brightness of the untouched gel's middle, as a fraction of full scale
    distance: float = 14.0  # mm, from the middle of the gel
    height: float = 4.5  # mm, above the gel; low lights give strong relief


@dataclass(frozen=True)
class Skin:
    """What is printed on or moulded into the gel and moves with it."""

    kind: Literal["plain", "markers", "pins", "grid"] = "plain"
    pitch: float = 1.5  # mm, between neighbours
    radius: float = 0.3  # mm, of a dot; half the width of a grid line
    colour: Colour = (0.02, 0.02, 0.02)
    opacity: float = 0.9  # 0..1, how much of what lies behind is hidden
    lever: float = 1.0  # mm sideways per unit of slope: long pins swing far
    growth: float = 0.0  # per mm of indentation: what comes nearer the camera looks bigger
    hexagonal: bool = False  # lattice of dots: hexagonal or square
    see_through: float = 0.0  # 0..1, how much of the object is seen through the skin
    fog: float = 1.0  # mm of distance at which a seen object has faded to a third
    shift: float = 0.0  # mm down and to the right: how far pattern and grain are out of place


@dataclass(frozen=True)
class SensorDesign:
    """One sensor; lengths on the gel in mm, angles in degrees, light as a fraction of full scale."""

    name: str
    field_of_view: tuple[float, float]  # mm, width and height that fill the (square) picture
    lights: tuple[Light, ...]
    ambient: Colour = (0.08, 0.08, 0.08)  # light without direction
    rotation: float = 0.0  # degrees, camera against gel
    mirror: bool = False  # True: the picture is seen through a mirror
    keystone: float = 0.0  # relative change of scale from the top to the bottom edge
    barrel: float = 0.0  # relative shrinking at the corner; positive is barrel, negative is pincushion
    dome_radius: float = math.inf  # mm, of the gel's curved surface; inf is flat
    gel_thickness: float = 3.0  # mm; presses deeper than a good part of it saturate
    gel_reach: float = 1.2  # mm; how far around the object the gel is drawn along
    coat_blur: float = 0.18  # mm; details finer than this are lost in the gel's coat
    relief: float = 1.0  # slope seen by the light per slope of the gel
    specular: float = 0.05  # fraction of full scale, highlight of a shiny coat
    texture: float = 0.03  # relative grain of the untouched gel's colour
    texture_seed: int = 0  # which grain
    vignetting: float = 0.2  # relative loss of light at the corners
    focus_blur: float = 0.1  # mm on the gel
    exposure: float = 0.55  # factor on all light
    gamma: float = 2.0  # the camera's tone curve: value = light ** (1 / gamma)
    noise: float = 1.5  # grey levels of 255, standard deviation
    skin: Skin = Skin()
