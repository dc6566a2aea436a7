"""Exchanged colour channels and swapped folders: both show in the mean picture, because a sensor is known by its light.

These are suspicions. They are raised only if the other explanation fits twice as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

THUMB = 8  # px: small enough to forget the contact, large enough to know the sensor's light
SUSPICION = 0.5  # another explanation must fit twice as well before we say so
FLAT = 2.0  # of 255: colours closer than this say nothing

Folder = tuple[str, str, int]  # sensor, split, label
Thumb = NDArray[np.float64]  # (THUMB, THUMB, 3)


def thumbnail(picture: NDArray[np.uint8]) -> Thumb:
    """The picture's light, without its contact."""
    small = Image.fromarray(picture).resize((THUMB, THUMB), Image.Resampling.BOX)
    return np.asarray(small, np.float64)


def channel_order(thumbs: dict[Folder, Thumb], classes: tuple[str, ...]) -> list[str]:
    """Folders whose red and blue look exchanged, compared with the other folders of the same sensor.

    Whether *all* of a sensor's pictures are exchanged cannot be seen this way; the table's mean colours show it.
    """
    lines = []
    for sensor in dict.fromkeys(sensor for sensor, _, _ in thumbs):
        folders = {key: thumb for key, thumb in thumbs.items() if key[0] == sensor}
        splits = {split: _middle(folders, split) for split in dict.fromkeys(split for _, split, _ in folders)}
        first, *others = splits
        lines += [
            f"{sensor}: {first} and {split} look different in channel order (BGR for RGB?)"
            for split in others
            if _exchanged(splits[split], splits[first])
        ]
        for (_, split, label), thumb in folders.items():
            rest = [t for key, t in folders.items() if key[1] == split and key[2] != label]
            if rest and _exchanged(thumb, np.median(rest, axis=0)):
                lines.append(f"{sensor} {split} {classes[label]}: red and blue look exchanged (BGR for RGB?)")
    return lines


def swapped(thumbs: dict[Folder, Thumb]) -> list[str]:
    """Pairs of sensors that look exchanged between two splits."""
    sensors = list(dict.fromkeys(sensor for sensor, _, _ in thumbs))
    splits = list(dict.fromkeys(split for _, split, _ in thumbs))
    light = {
        (sensor, split): _middle({k: t for k, t in thumbs.items() if k[0] == sensor}, split)
        for sensor, split in dict.fromkeys(key[:2] for key in thumbs)
    }
    lines = []
    for split in splits[1:]:
        for i, a in enumerate(sensors):
            for b in sensors[i + 1 :]:
                four = [(s, p) for s in (a, b) for p in (splits[0], split)]
                if not all(key in light for key in four):
                    continue
                a0, a1, b0, b1 = (light[key] for key in four)
                crossed = max(_distance(a0, b1), _distance(b0, a1))
                straight = min(_distance(a0, a1), _distance(b0, b1))
                if straight > FLAT and crossed < SUSPICION * straight:
                    lines.append(f"{a} and {b} look swapped between {splits[0]} and {split}")
    return lines


def _middle(thumbs: dict[Folder, Thumb], split: str) -> Thumb:
    return np.asarray(np.median([thumb for key, thumb in thumbs.items() if key[1] == split], axis=0))


def _exchanged(thumb: Thumb, reference: Thumb) -> bool:
    as_is = _distance(thumb, reference)
    return as_is > FLAT and _distance(thumb[..., ::-1], reference) < SUSPICION * as_is


def _distance(a: Thumb, b: Thumb) -> float:
    """Root mean square difference, of 255."""
    return float(np.sqrt(np.mean(np.square(a - b))))
