"""Gels and lamps that grow old: seven kinds of wear, each with a strength from 0, as new, to 1, ready to be replaced.

What is worn stays where it is: scratches, dust and the bubble come from ``seed``, not from the contact.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from bideta.sim.design import SensorDesign
from bideta.sim.gel import blur
from bideta.sim.shapes import Array
from bideta.sim.view import View, view_of

FADED = 0.65  # light that a lamp has lost at strength 1; lamps fade one after the other
HAZE_MIX, HAZE_MM, VEIL = 0.7, 1.5, 0.10  # share of scattered light, how far it scatters, and what it adds
SWOLLEN, DULLED = 0.8, 1.5  # relative growth of a gel's thickness and reach, and of its coat's blur
SLIP_MM = 1.2  # how far the printed skin has moved
SCRATCHES, SCRATCH_MM, SCRATCH_LIGHT = 14, 0.12, 0.30  # how many, how wide, how bright
GRAINS, GRAIN_MM, GRAIN_SHADE = 60, (0.12, 0.40), 0.75  # of dust: how many, radii, light that is lost
BUBBLE_MM, RIM_LIGHT = 3.5, 0.25  # radius, and how bright its rim is


@dataclass(frozen=True)
class Wear:
    """How worn a sensor is."""

    fading: float = 0.0  # lamps
    haze: float = 0.0  # scattered light in a cloudy gel
    scratches: float = 0.0
    swelling: float = 0.0  # a thicker, duller gel
    slip: float = 0.0  # markers, or the gel's grain, out of place
    dust: float = 0.0
    bubble: float = 0.0  # between gel and window: nothing is felt there
    seed: int = 0  # where scratches, dust and bubble are

    def __post_init__(self) -> None:
        for kind in KINDS:
            strength = getattr(self, kind)
            if not 0 <= strength <= 1:
                raise ValueError(f"{kind} is {strength}, expected a strength from 0, as new, to 1")


KINDS = tuple(part.name for part in fields(Wear) if part.name != "seed")


def aged(sensor: SensorDesign, wear: Wear) -> SensorDesign:
    """The design with faded lamps, a swollen gel and a skin that has slipped."""
    number = len(sensor.lights)
    # The first lamp fades most, the last one a third as much: colours change, not only brightness.
    keeps = [1 - FADED * wear.fading * (1 - 2 / 3 * i / max(number - 1, 1)) for i in range(number)]
    lights = tuple(
        replace(lamp, power=lamp.power * left) for lamp, left in zip(sensor.lights, keeps, strict=True)
    )
    thicker = 1 + SWOLLEN * wear.swelling
    return replace(
        sensor,
        lights=lights,
        gel_thickness=sensor.gel_thickness * thicker,
        gel_reach=sensor.gel_reach * thicker,
        coat_blur=sensor.coat_blur * (1 + DULLED * wear.swelling),
        skin=replace(sensor.skin, shift=SLIP_MM * wear.slip),
    )


def worn(light: Array, sensor: SensorDesign, wear: Wear) -> Array:
    """Linear light (N, 3, size, size) through a cloudy, scratched, dusty gel with a bubble."""
    view = view_of(sensor, light.shape[-1])
    pixel_x, pixel_y = view.pixel
    places = {kind: np.random.default_rng((wear.seed, number)) for number, kind in enumerate(KINDS)}
    if wear.bubble:
        light = _bubble(light, view, wear.bubble, places["bubble"])
    if wear.haze:
        scattered = blur(light, HAZE_MM / pixel_y, HAZE_MM / pixel_x)
        light = light + np.float32(HAZE_MIX * wear.haze) * (scattered - light) + np.float32(VEIL * wear.haze)
    if wear.scratches:
        light = light + np.float32(SCRATCH_LIGHT) * _scratches(view, wear.scratches, places["scratches"])
    if wear.dust:
        light = light * (1 - np.float32(GRAIN_SHADE) * _dust(view, wear.dust, places["dust"]))
    return light


def _place(view: View, rng: np.random.Generator) -> tuple[float, float]:
    """Somewhere in the picture, mm."""
    half_x, half_y = float(np.abs(view.x).max()), float(np.abs(view.y).max())
    return rng.uniform(-half_x, half_x), rng.uniform(-half_y, half_y)


def _scratches(view: View, strength: float, rng: np.random.Generator) -> Array:
    """(size, size) in 0 … 1; more of them, and brighter, with the strength."""
    cover = np.zeros_like(view.x)
    for _ in range(round(SCRATCHES * strength)):
        (x, y), angle, length = _place(view, rng), rng.uniform(0, np.pi), rng.uniform(2, 8)
        along = (view.x - x) * np.cos(angle) + (view.y - y) * np.sin(angle)
        across = (view.y - y) * np.cos(angle) - (view.x - x) * np.sin(angle)
        width = max(SCRATCH_MM, view.pixel[0] / 2)
        line = np.exp(-np.square(across / width) / 2) * (np.abs(along) < length / 2)
        cover = np.maximum(cover, line * rng.uniform(0.4, 1))
    return np.asarray(cover * strength**0.5, np.float32)


def _dust(view: View, strength: float, rng: np.random.Generator) -> Array:
    """(size, size) in 0 … 1."""
    cover = np.zeros_like(view.x)
    for _ in range(round(GRAINS * strength)):
        (x, y), radius = _place(view, rng), rng.uniform(*GRAIN_MM)
        distance = np.hypot(view.x - x, view.y - y)
        cover = np.maximum(cover, np.clip((radius - distance) / view.pixel[0] + 0.5, 0, 1))
    return np.asarray(cover, np.float32)


def _bubble(light: Array, view: View, strength: float, rng: np.random.Generator) -> Array:
    """Inside it the gel does not reach the window: a smooth disc with a bright rim, whatever touches."""
    x, y = (0.5 * place for place in _place(view, rng))
    radius = BUBBLE_MM * strength
    distance = np.hypot(view.x - x, view.y - y)
    inside = np.asarray(np.clip((radius - distance) / 0.4 + 0.5, 0, 1), np.float32)
    rim = np.asarray(np.exp(-np.square((distance - radius) / 0.35) / 2), np.float32)
    smooth = blur(light, 2 / view.pixel[1], 2 / view.pixel[0])
    return light + inside * (smooth - light) + np.float32(RIM_LIGHT * strength**0.5) * rim
