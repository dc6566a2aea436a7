"""Training frames from the simulator: random geometry, two touches per object, no labels.

A batch is a function of (seed, step), so that a resumed run sees what an uninterrupted one would have seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bideta.sim import SENSORS, Contacts, Geometry, PressRange, SensorDesign, presses, random_geometry, render
from bideta.sim.design import Light
from bideta.sim.gel import press
from bideta.sim.view import view_of

Floats = NDArray[np.float32]
Frames = NDArray[np.uint8]

SIZE = 64  # pixels
HEIGHT_SIZE = 32  # pixels of height and description maps: four per token and side
DESCRIPTION_MM = 8.0  # a description shows ± this around the object's middle
DESCRIPTION_FLOOR = -2.0  # mm; what lies deeper is never touched
PRESS_FRAMES = 20
# Share of pairs from one press; the others are two presses of the object, in unrelated poses.
SAME_PRESS = 0.4
EARLIER = 5  # frames back of the second frame, as in Sparsh
STILL = 0.5  # share of two-frame inputs that show the same frame twice, as datasets without sequences do
# How one unit varies from frame to frame (exposure, white balance, noise); far less than two sensors differ.
GAIN, CHANNEL_GAIN, OFFSET, NOISE = 0.08, 0.04, 0.02, 0.01

# A unit of the GelSight Mini design that is none of the test units.
MINI_FOR_TRAINING = replace(
    SENSORS["Mini_1"],
    name="Mini_training",
    lights=(
        Light(176, (1.0, 0.12, 0.08), 0.38, 13, 4.2),
        Light(4, (0.1, 0.15, 1.0), 0.33, 13, 4.2),
        Light(92, (0.1, 1.0, 0.15), 0.32, 12, 4.3),
        Light(-90, (1.0, 0.96, 0.9), 0.12, 12, 6.0),
    ),
    field_of_view=(18.2, 14.0),
    rotation=-1.5,
    gel_thickness=3.2,
    gel_reach=1.35,
    texture=0.04,
    texture_seed=1001,
)
WIDE = PressRange()  # the simulator's default presses: any angle, off-centre


@dataclass(frozen=True)
class Pairs:
    """B objects touched twice; frames are ``(B, 64, 64, 3 or 6)`` uint8, heights ``(2 B, 1, 32, 32)`` in mm."""

    first: Frames
    second: Frames
    description: Floats
    heights: Floats


def pairs(rng: np.random.Generator, sensor: SensorDesign, count: int, channels: int) -> Pairs:
    """``count`` new objects, each touched twice by ``sensor``."""
    geometries = [random_geometry(rng) for _ in range(count)]
    contacts = presses(geometries, np.repeat(np.arange(count), 2), rng, frames=PRESS_FRAMES, ranges=WIDE)
    moment = rng.integers(0, PRESS_FRAMES, (count, 2))
    other = rng.random(count) >= SAME_PRESS
    start = 2 * PRESS_FRAMES * np.arange(count)
    rows = np.stack([start + moment[:, 0], start + moment[:, 1] + PRESS_FRAMES * other], axis=1)  # (count, 2)
    chosen = contacts[rows.T.reshape(-1)]
    frames = draw(chosen, sensor, rng)
    if channels == 6:
        back = np.where(rng.random((count, 2)) < STILL, 0, np.minimum(EARLIER, moment))
        earlier = draw(contacts[(rows - back).T.reshape(-1)], sensor, rng)
        frames = np.concatenate([frames, earlier], axis=3)
    surface = press(chosen, sensor, view_of(sensor, HEIGHT_SIZE))
    description = np.stack([describe(geometry, rng) for geometry in geometries])
    return Pairs(frames[:count], frames[count:], description, surface.indentation[:, None])


def draw(contacts: Contacts, sensor: SensorDesign, rng: np.random.Generator) -> Frames:
    """Frames ``(N, 64, 64, 3)`` of the contacts."""
    return render(contacts, sensor, size=SIZE, seed=rng)


def describe(geometry: Geometry, rng: np.random.Generator) -> Floats:
    """Height map ``(1, 32, 32)`` in 0..1 of the object from above, in a random orientation."""
    steps = (np.arange(HEIGHT_SIZE, dtype=np.float32) + np.float32(0.5)) * np.float32(2 / HEIGHT_SIZE) - 1
    v, u = np.meshgrid(steps * np.float32(DESCRIPTION_MM), steps * np.float32(DESCRIPTION_MM), indexing="ij")
    angle = rng.uniform(0, 2 * np.pi)
    cos, sin = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    height = geometry.height(u * cos + v * sin, v * cos - u * sin)
    depth: Floats = height / np.float32(DESCRIPTION_FLOOR)
    return np.clip(1 - depth, 0, 1)[None]


def varied(frames: Frames, rng: np.random.Generator) -> Floats:
    """``(B, channels, 64, 64)`` float32 in [0, 1]: the frames under another exposure, white balance and noise."""
    count, channels = len(frames), frames.shape[3]
    gain = 1 + rng.uniform(-GAIN, GAIN, (count, 1)) + rng.uniform(-CHANNEL_GAIN, CHANNEL_GAIN, (count, 3))
    offset = rng.uniform(-OFFSET, OFFSET, (count, 3))
    gain, offset = (np.tile(x, (1, channels // 3))[:, :, None, None] for x in (gain, offset))
    scaled: Floats = frames.transpose(0, 3, 1, 2).astype(np.float32) * (gain / 255).astype(
        np.float32
    ) + offset.astype(np.float32)
    scaled += np.float32(NOISE) * rng.standard_normal(scaled.shape, dtype=np.float32)
    return np.clip(scaled, 0, 1, out=scaled)
