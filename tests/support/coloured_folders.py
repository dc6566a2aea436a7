"""A sensor of one's own: three objects in plain colours, drawn as class folders."""

from __future__ import annotations

import csv

import numpy as np
from PIL import Image

COLOURS = {"bolt": (200, 60, 40), "key": (60, 190, 60), "nut [M8]": (50, 60, 200)}


def draw(root, count, seed, size=(20, 16)):
    rng = np.random.default_rng(seed)
    for name, colour in COLOURS.items():
        (root / name).mkdir(parents=True)
        for i in range(count):
            noise = rng.normal(0, 25, (*size[::-1], 3)) + rng.normal(0, 10, 3)
            pixels = np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(root / name / f"{i}.png")
    return root


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
