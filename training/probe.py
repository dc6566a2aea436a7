"""Linear probes: how much of the object is in the features, on a sensor the encoder was trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bideta.sim import SensorDesign, presses, random_geometry
from training.data import WIDE, Frames, draw

OBJECTS = 16  # random objects, drawn from a stream of their own: none is seen in training
PRESSES, HELD_OUT, FRAMES = 24, 8, 3  # per object; the last HELD_OUT presses are the test; frames per press
STREAM = 7919  # separates the probe's random numbers from the training batches'


def unseen_objects(seed: int, sensor: SensorDesign) -> tuple[Frames, NDArray[np.int64], NDArray[np.bool_]]:
    """Frames, object numbers and the mask of held-out presses, of random objects."""
    rng = np.random.default_rng([seed, STREAM])
    geometries = [random_geometry(rng) for _ in range(OBJECTS)]
    objects = np.repeat(np.arange(OBJECTS), PRESSES)
    contacts = presses(geometries, objects, rng, frames=FRAMES, ranges=WIDE)
    held_out = np.repeat(np.tile(np.arange(PRESSES) >= PRESSES - HELD_OUT, OBJECTS), FRAMES)
    return draw(contacts, sensor, rng), contacts.object, held_out


def accuracy(train: Any, train_labels: Any, test: Any, test_labels: Any) -> float:
    """Test accuracy of logistic regression on the standardised concatenation of two readouts."""
    probe = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
    probe.fit(np.concatenate(train, axis=1), train_labels)
    return float(probe.score(np.concatenate(test, axis=1), test_labels))
