"""The example: a simulated sensor that the encoder has never seen, with a few labels and the truth for the rest."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.datasets.simulated import SOURCE_STRIDE
from bideta.datasets.simulated.class_folders import spread
from bideta.datasets.simulated.dataset import SimulatedDataset
from bideta.encoders import Encoder, Readouts
from bideta.images.png import png
from bideta.plugins import load_dataset
from bideta.service.encoding import encode_pictures, joined
from bideta.sim import render
from bideta.studio import store
from bideta.studio.pictures import Upload
from bideta.studio.session import Session

DATASET = "simulated-sitr"
SCALE = 0.1  # 20 queries of each of 16 objects: enough for the joint step, seconds to render
SHOTS = 8  # labels for each object, the smallest budget of the paper
CHUNK = 32  # frames rendered and encoded at a time, so that others get their turn
DOING = {  # a step's role → what is under way, in words
    "labelled": "Touching objects whose names are known",
    "unlabelled": "Touching objects whose names are to be found",
    "source": "Touching the same objects with the sensor that the encoder knows",
}


@dataclass(frozen=True)
class Step:
    """Frames of one sensor's split that are rendered, encoded and stored together."""

    sensor: str
    split: str
    role: str  # "labelled", "unlabelled" or "source"
    rows: NDArray[np.int64]


@dataclass
class Example:
    """The work of one example session, cut into short steps."""

    sensor: str
    dataset: SimulatedDataset = field(init=False)
    whole: SimulatedDataset = field(init=False)  # so many presses that each labelled contact has one
    source: list[tuple[Readouts, list[str]]] = field(default_factory=list)  # of each step so far

    def __post_init__(self) -> None:
        self.dataset, self.whole = load_dataset(DATASET, scale=SCALE), load_dataset(DATASET)

    @property
    def title(self) -> str:
        """Name of the session."""
        return f"Example: {self.sensor} (simulated)"

    def steps(self) -> list[Step]:
        """All steps, the labelled contacts first."""
        info = self.dataset.info
        pool = self.whole.contacts(self.sensor, "train").object
        support = spread(pool, SHOTS, "train", info.classes)
        queries = np.arange(len(self.dataset.contacts(self.sensor, "test").object))
        home = np.arange(0, len(self.dataset.contacts(info.source, "train").object), SOURCE_STRIDE)
        return [
            *_cut(self.sensor, "train", "labelled", support),
            *_cut(self.sensor, "test", "unlabelled", queries),
            *_cut(info.source, "train", "source", home),
        ]

    def run(self, step: Step, session: Session, encoder: Encoder) -> None:
        """Render and store one step."""
        dataset = self.whole if step.role == "labelled" else self.dataset
        presses = dataset.contacts(step.sensor, step.split)[step.rows]
        names = [self.dataset.info.classes[c] for c in presses.object]
        rng = np.random.default_rng((0, int(step.rows[0]), len(step.role)))
        frames = render(
            presses, step.sensor, size=self.dataset.size, seed=rng, conditions=self.dataset.level.conditions
        )
        if step.role == "source":
            self.source.append((encode_pictures(encoder, list(frames)), names))
            return
        labelled = step.role == "labelled"
        uploads = [
            Upload(f"{row:04d}.png", png(frame), label=name)
            if labelled
            else Upload(f"{row:04d}.png", png(frame), truth=name, press=str(press))
            for row, frame, name, press in zip(step.rows, frames, names, presses.press, strict=True)
        ]
        session.add(uploads, encoder, secrets.token_hex(8))

    def finish(self, session: Session) -> None:
        """Store the readouts of the source sensor: its head is one of the comparisons."""
        labels = [name for _, names in self.source for name in names]
        store.write_source(session.folder, joined([readouts for readouts, _ in self.source]), labels)


def sensors() -> list[str]:
    """Simulated sensors that the example can open."""
    return list(load_dataset(DATASET, scale=SCALE).info.targets)


def _cut(sensor: str, split: str, role: str, rows: NDArray[Any]) -> Iterator[Step]:
    for start in range(0, len(rows), CHUNK):
        yield Step(sensor, split, role, rows[start : start + CHUNK])
