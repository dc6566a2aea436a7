"""Is the class in the picture? A linear probe on simple gradient features of one sensor, tested on other presses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import RidgeClassifier

from bideta.datasets import Dataset

CELLS = 4  # the picture is cut into CELLS × CELLS cells
HALVINGS = 2  # gradients are taken at a half and at a quarter of the resolution
ORIENTATIONS = 4  # directions, each with both signs
RIDGE = 300.0  # of the probe, on standardised features: there are more features than frames of a class
BATCH = 256  # frames whose gradients are in memory at once


def in_domain_accuracy(dataset: Dataset, sensor: str) -> float:
    """Accuracy of a linear probe trained on the sensor's first split and tested on its last."""
    first, *_, last = dataset.info.splits
    train, test = dataset.frames(sensor, first), dataset.frames(sensor, last)
    resting = np.asarray(train.images[::7], np.float32).mean(axis=0)  # close to the untouched picture
    known, asked = (gradient_features(frames.images, resting) for frames in (train, test))
    mean, spread = known.mean(axis=0), known.std(axis=0) + 1e-6  # a cell that never changes stays at zero
    probe = RidgeClassifier(alpha=RIDGE)
    probe.fit((known - mean) / spread, train.labels)
    return float(probe.score((asked - mean) / spread, test.labels))


def gradient_features(images: object, resting: NDArray[np.float32]) -> NDArray[np.float32]:
    """Square roots of oriented gradient energy, per cell, colour, sign and scale, (N, features)."""
    pictures = np.asarray(images)
    batches = [pictures[start : start + BATCH] for start in range(0, len(pictures), BATCH)]
    return np.concatenate([_features(batch.astype(np.float32) - resting) for batch in batches])


def _features(change: NDArray[np.float32]) -> NDArray[np.float32]:
    """Features of one batch (N, size, size, 3) of differences from the resting picture."""
    features = []
    for _ in range(HALVINGS):
        side = change.shape[1] // 2 * 2
        change = change[:, 0:side:2] + change[:, 1:side:2]
        change = (change[:, :, 0:side:2] + change[:, :, 1:side:2]) * np.float32(0.25)
        down, across = np.diff(change, axis=1)[:, :, :-1], np.diff(change, axis=2)[:, :-1]
        edges = np.arange(CELLS) * down.shape[1] // CELLS
        for k in range(ORIENTATIONS):
            angle = np.pi * k / ORIENTATIONS
            along = across * np.float32(np.cos(angle)) + down * np.float32(np.sin(angle))
            for signed in (along, -along):
                energy = np.add.reduceat(np.maximum(signed, 0), edges, axis=1)
                energy = np.add.reduceat(energy, edges, axis=2)
                features.append(np.sqrt(energy).reshape(len(change), -1))
    return np.concatenate(features, axis=1)
