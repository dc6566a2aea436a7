"""Stripes of two directions and widths on three sensors of different colour: a dataset to copy. Simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bideta.datasets import Dataset, DatasetInfo, Frames, check_known

COLOURS = {"red": (90, 20, 20), "green": (20, 90, 20), "blue": (20, 20, 90)}
PRESSES = {"train": 12, "test": 6}  # of each class

INFO = DatasetInfo(
    name="template-stripes",
    title="Stripes",
    task="classification",
    classes=("across", "along", "across, wide", "along, wide"),
    source="red",
    targets=("green", "blue"),
    budgets={"1": 1, "5": 5},  # labelled frames per class
    simulated=True,
    reference="whom to cite",
    licence="Apache-2.0",
)


def load(noise: float = 20.0) -> Dataset:
    """The dataset. Yours will take ``root``, and read pictures only when they are asked for."""
    return Stripes(noise)


@dataclass(frozen=True)
class Stripes:
    """Frames of a sensor and a split."""

    noise: float
    info: DatasetInfo = INFO

    def frames(self, sensor: str, split: str) -> Frames:
        """Pictures, labels, names and presses; the same every time."""
        check_known(INFO, [INFO.source, *INFO.targets], sensor, split)
        labels = np.repeat(np.arange(4), PRESSES[split])
        rng = np.random.default_rng([list(COLOURS).index(sensor), list(PRESSES).index(split)])
        images = np.stack([self._picture(label, COLOURS[sensor], rng) for label in labels])
        ids = [f"{sensor}/{split}/{number}" for number in range(len(labels))]
        return Frames(images, labels, ids, np.arange(len(labels)))

    def calibration(self, sensor: str) -> Any:
        """Pictures of a calibration object, where there are any."""
        return None

    def _picture(self, label: int, colour: tuple[int, int, int], rng: np.random.Generator) -> Any:
        wave = 60 * np.sin(np.arange(32) / (1 + 2 * (label // 2)) + rng.uniform(0, 6))
        stripes = np.broadcast_to(wave[:, None] if label % 2 == 0 else wave[None, :], (32, 32))
        noisy = stripes[..., None] + np.array(colour) + 60 + rng.normal(0, self.noise, (32, 32, 3))
        return np.clip(noisy, 0, 255).astype(np.uint8)
