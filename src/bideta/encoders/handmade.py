"""Features written down by hand: colours, edges, texture, bright places of a small picture. No network, no weights.

Readout 1 says where which colour is (12 × 12 × 3). Readout 2 says what the surface looks like: gradient
directions (288), local binary patterns (30) and the radial spectrum (16) of the grey picture, scaled to its range
so that faint contacts count as much as strong ones. Readouts 3 and 4 say where it is bright (16 × 16 each), against
the whole picture and against the neighbourhood: where pins and markers have moved, and where a gel is lit.

Every function takes one picture, so that no answer depends on which pictures came together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.encoders import Encoder, EncoderInfo, Readouts
from bideta.encoders.runners.batches import batches, joined
from bideta.encoders.runners.fingerprint import plain_text
from bideta.encoders.runners.prepared import Prepared
from bideta.encoders.runners.preprocessing import Preprocessing

Floats = NDArray[np.float32]

VERSION = 1  # raise it when any number below or any line of a feature changes
SIZE = 96  # pixels: fine enough for gel texture and pins, and a multiple of the three grids below
GRID = 12  # cells a side of the colour picture: 8 × 8 pixels each
CELLS = 6  # cells a side of the gradient histograms: 16 × 16 pixels each, about the width of a small contact
BRIGHT = 16  # cells a side of the picture of bright places: 6 × 6 pixels each, about a pin
DIRECTIONS = 8  # bins of 22.5 degrees; a gradient and its opposite are one direction
RADII = (1, 2, 4)  # pixels between a point and its eight neighbours: grain, texture, markers
RINGS = 16  # of spatial frequency, up to half a cycle a pixel
NEIGHBOURHOOD = 13  # pixels a side, two cells of bright places and a middle: slow changes of light drop out
STEP = 1 / 255  # of the range: a point that is brighter by less is noise
FAINTEST = 1e-3  # range below which a picture counts as empty, so that noise is not blown up
LUMA = (0.299, 0.587, 0.114)  # of red, green and blue, ITU-R BT.601
# Clockwise from the upper left: neighbours in a row are neighbours on the circle.
CIRCLE = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))

INFO = EncoderInfo(
    name="handmade",
    title="Closed-form features: colours; gradients, binary patterns, spectrum; bright places",
    input_size=SIZE,
    channels=3,
    readouts=(
        GRID * GRID * 3,
        CELLS * CELLS * DIRECTIONS + 10 * len(RADII) + RINGS,
        BRIGHT * BRIGHT,
        BRIGHT * BRIGHT,
    ),
    parameters=0,
    trained_on="nothing (features in closed form)",
    licence="Apache-2.0",
    reference="ours, after Dalal and Triggs, CVPR 2005 (gradients), and Ojala et al., PAMI 2002 (binary patterns)",
    url="bideta help encoders",
    run_by="numpy",
)
PREPROCESSING = Preprocessing(SIZE, SIZE)


def load() -> Encoder:
    """The encoder; it has no settings."""
    return Handmade()


class Handmade:
    """The readouts, picture by picture."""

    info = INFO

    def __init__(self) -> None:
        constants = (SIZE, GRID, CELLS, BRIGHT, DIRECTIONS, RADII, RINGS, NEIGHBOURHOOD, STEP, FAINTEST, LUMA)
        recipe = f"handmade {VERSION} {constants} {plain_text(PREPROCESSING)}"
        self.fingerprint = hashlib.sha256(recipe.encode()).hexdigest()

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Four float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        inputs = batches(PREPROCESSING, images, previous, batch_size)
        return joined([_stacked(batch) for batch in inputs], INFO)

    def prepare(self, image: Any, previous: Any = None) -> Prepared:
        """The small picture."""
        return PREPROCESSING.prepare(image)

    def encode_prepared(self, prepared: Sequence[Prepared]) -> Readouts:
        """Four float32 readouts of what ``prepare`` made of a batch."""
        return _stacked(PREPROCESSING.stack(prepared))


def _stacked(batch: Floats) -> Readouts:
    rows = [readouts(picture) for picture in batch]
    return tuple(np.stack(readout) for readout in zip(*rows, strict=True))


def readouts(picture: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Colours, surface and bright places of a picture ``(3, SIZE, SIZE)`` in [0, 1]."""
    grey = scaled_grey(picture)
    surface = np.concatenate([gradients(grey), *(patterns(grey, radius) for radius in RADII), spectrum(grey)])
    return (
        colours(picture),
        surface.astype(np.float32),
        bright_places(grey, grey.mean()),
        bright_places(grey, surroundings(grey)),
    )


def colours(picture: Floats) -> Floats:
    """Mean colour of each cell of a ``GRID`` × ``GRID`` picture."""
    side = SIZE // GRID
    return picture.reshape(3, GRID, side, GRID, side).mean((2, 4)).ravel()


def scaled_grey(picture: Floats) -> Floats:
    """The grey picture from 0 (its darkest point) to 1 (its brightest)."""
    red, green, blue = LUMA
    grey = red * picture[0] + green * picture[1] + blue * picture[2]
    darkest = grey.min()
    return (grey - darkest) / max(grey.max() - darkest, FAINTEST)


def gradients(grey: Floats) -> NDArray[np.float64]:
    """Square root of each cell's and direction's share of all gradients (HOG); the squares sum to one.

    A gradient counts for the two directions next to it. The root keeps one strong edge from hiding the rest.
    """
    right, down = np.zeros_like(grey), np.zeros_like(grey)
    right[:, 1:-1] = grey[:, 2:] - grey[:, :-2]
    down[1:-1] = grey[2:] - grey[:-2]
    strength = np.hypot(right, down)
    direction = np.arctan2(down, right) * (DIRECTIONS / np.pi)  # a half turn is DIRECTIONS bins
    lower = np.floor(direction)
    share = direction - lower
    first = lower.astype(np.int64) % DIRECTIONS
    second = (first + 1) % DIRECTIONS
    bins = np.concatenate([_CELL + first, _CELL + second]).ravel()
    weights = np.concatenate([strength * (1 - share), strength * share]).ravel()
    histogram = np.bincount(bins, weights, CELLS * CELLS * DIRECTIONS)
    return np.sqrt(histogram / (histogram.sum() + 1e-6))


def patterns(grey: Floats, radius: int) -> NDArray[np.float64]:
    """Square roots of the shares of ten kinds of points: uniform local binary patterns.

    Eight neighbours at ``radius`` are brighter or not. Where the brighter ones are one arc of the circle, the kind
    is their number (0 … 8): spot, edge, corner, line end; all other points are the tenth kind.
    """
    inner = SIZE - 2 * radius
    threshold = grey[radius:-radius, radius:-radius] + np.float32(STEP)
    code = np.zeros((inner, inner), np.uint8)
    for bit, (down, right) in enumerate(CIRCLE):
        top, left = radius * (1 + down), radius * (1 + right)
        brighter = grey[top : top + inner, left : left + inner] > threshold
        code |= brighter.view(np.uint8) << np.uint8(bit)
    kinds = np.bincount(_KIND[code.ravel()], minlength=10)
    return np.sqrt(kinds / code.size)


def spectrum(grey: Floats) -> NDArray[np.float64]:
    """Logarithm of the mean power in each ring of spatial frequency: how rough, at which scale, in no direction."""
    waves = np.fft.rfft2(grey - grey.mean())  # scipy.fft is as fast, and imports scipy.special
    power = np.square(waves.real) + np.square(waves.imag)
    return np.log(np.bincount(_RING, power.ravel())[:RINGS] / _POINTS[:RINGS] + 1e-6)


def surroundings(grey: Floats) -> Floats:
    """Mean of the ``NEIGHBOURHOOD`` of each point, the picture mirrored at its edges.

    To the bit what ``scipy.ndimage.uniform_filter`` gives, whose import takes as long as ten pictures.
    """
    half = NEIGHBOURHOOD // 2
    for _ in range(2):  # down the columns; turned, along the rows
        sums = np.cumsum(np.pad(grey, ((half + 1, half), (0, 0)), "symmetric"), axis=0, dtype=np.float64)
        grey = ((sums[NEIGHBOURHOOD:] - sums[:-NEIGHBOURHOOD]) / NEIGHBOURHOOD).astype(np.float32).T
    return grey


def bright_places(grey: Floats, usual: Floats | np.float32) -> Floats:
    """Share of each cell's points that are brighter than is usual: a number, or one for each point."""
    side = SIZE // BRIGHT
    bright = grey > usual + np.float32(STEP)
    return bright.reshape(BRIGHT, side, BRIGHT, side).mean((1, 3), dtype=np.float32).ravel()


def _cells() -> NDArray[np.int64]:
    """First bin of the cell that each point lies in."""
    cell = np.arange(SIZE) // (SIZE // CELLS)
    return (cell[:, None] * CELLS + cell) * DIRECTIONS


def _kinds() -> NDArray[np.int64]:
    """Kind of each of the 256 patterns: the number of brighter neighbours if they are one arc, else 9."""
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    changes = (bits != np.roll(bits, 1, axis=1)).sum(axis=1)
    return np.where(changes <= 2, bits.sum(axis=1), 9)


def _rings() -> NDArray[np.int64]:
    """Ring of each frequency; the corners beyond half a cycle a pixel are one more ring, which nobody reads."""
    frequency = np.hypot(np.fft.fftfreq(SIZE)[:, None], np.fft.rfftfreq(SIZE))
    return np.minimum((frequency * (2 * RINGS)).astype(np.int64), RINGS).ravel()


_CELL, _KIND, _RING = _cells(), _kinds(), _rings()
_POINTS = np.bincount(_RING)
