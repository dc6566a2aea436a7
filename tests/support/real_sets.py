"""Small folders in the layout of real sets: noise, a bar whose place is the class, light that drifts."""

from __future__ import annotations

import numpy as np
from PIL import Image

CLASSES = ("bolt", "coin", "key")
SIZE = 32


def contact(rng, label, light):
    """A picture of one contact; label −1 is an untouched one."""
    picture = rng.normal(light, 6, (SIZE, SIZE, 3))
    if label >= 0:
        picture[4 + 9 * label : 9 + 9 * label, 6:26] += 70
    return Image.fromarray(picture.clip(0, 255).astype(np.uint8))


def write_set(root, name, *, presses=4, frames=2, light=90.0, drift=0.0, untouched=False, seed=0):
    """root/name/class/press n/i.png, recorded class by class."""
    rng = np.random.default_rng(seed)
    for c, label in enumerate(CLASSES):
        for press in range(1, presses + 1):
            now = light + drift * (c * presses + press)
            place = root / name / label / f"press {press}"
            place.mkdir(parents=True)
            for i in range(frames):
                contact(rng, c, now).save(place / f"{i}.png")
            if untouched:
                place = root / f"{name}-untouched" / label / f"press {press}"
                place.mkdir(parents=True)
                contact(rng, -1, now).save(place / "0.png")


def write_taps(root, name, train=6, val=3, seed=0):
    """root/name/train|val/class/i.png: single taps with their own split."""
    rng = np.random.default_rng(seed)
    for part, count in (("train", train), ("val", val)):
        for c, label in enumerate(CLASSES):
            place = root / name / part / label
            place.mkdir(parents=True)
            for i in range(count):
                contact(rng, c, 90).save(place / f"{i}.png")


def write_everything(root):
    """Two days of one sensor, another sensor, objects with untouched frames, taps, and something else."""
    write_set(root, "mini-day1", seed=1)
    write_set(root, "mini-day2", light=110, seed=2)
    write_set(root, "mini-b-day1", light=70, seed=3)
    write_set(root, "objects", drift=3, untouched=True, seed=4)
    write_taps(root, "taps", seed=5)
    (root / "surface" / "abb" / "images").mkdir(parents=True)
    contact(np.random.default_rng(0), 0, 90).save(root / "surface" / "abb" / "images" / "0.png")
    return root
