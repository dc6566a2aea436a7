"""Touch labels inside a LeRobot observation: an ``ObservationProcessorStep`` around an adapted sensor.

With LeRobot installed, put ``TouchLabels(...)`` into the robot-observation pipeline; the policy then sees
``observation.touch.proba``, one number per class, and ``observation.touch.contact``. Without LeRobot the class
works on plain dictionaries, which is what running this file shows (offline, simulated sensor):

    python examples/lerobot_step.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets
from bideta.deploy import OnlineBideta
from bideta.live.contact import ContactDetector
from bideta.live.sources import Simulated

try:
    from lerobot.processor import ObservationProcessorStep as Step
except ImportError:
    Step = object


class TouchLabels(Step):
    """Adds contact and class probabilities of one tactile camera to every observation."""

    def __init__(self, sensor: Bideta, encoder: Any, image_key: str = "observation.images.touch") -> None:
        self.online = OnlineBideta(sensor)
        self.encoder = encoder
        self.image_key = image_key
        self.detector = ContactDetector()
        self.proba = np.zeros(len(sensor.classes_), np.float32)

    def observation(self, observation: dict[str, Any]) -> dict[str, Any]:
        image = np.asarray(observation[self.image_key])  # (H, W, 3) RGB, uint8
        touch = self.detector.see(image)
        if not touch.contact:
            self.proba = np.zeros_like(self.proba)
        elif touch.changed:  # the encoder is the expensive part: only where the picture changed
            readouts = self.encoder.encode(image[None])
            self.proba = self.online.predict_one(tuple(H[0] for H in readouts)).proba.astype(np.float32)
        return {
            **observation,
            "observation.touch.contact": np.float32(touch.contact),
            "observation.touch.proba": self.proba,
        }

    def transform_features(self, features: Any) -> Any:
        return features  # touch.* are new keys; the image stays as it is


def main() -> None:
    touch, encoder = load_dataset("simulated-sitr", scale=0.05), load_encoder("twin-tvl")
    pool = touch.frames("Hex", "train")
    few = slice(2, len(pool), 5)  # 8 of 40 frames per class
    names = np.array(touch.info.classes)[pool.labels[few]]
    sensor = Bideta(**presets.ROBOT).fit(encoder.encode(pool.images[few]), names)
    step = TouchLabels(sensor, encoder)

    camera = Simulated("Hex", fps=1e6, n_presses=3)
    camera.open()
    label = truth = ""
    before = False
    for frame in range(240):
        picture = camera.read()
        seen = step.observation({"observation.images.touch": picture.image})
        contact = bool(seen["observation.touch.contact"])
        if before and not contact:
            print(f"frame {frame:3d}: touched {label!r} (simulated truth: {truth!r})")
        if contact:
            label, truth = str(sensor.classes_[seen["observation.touch.proba"].argmax()]), picture.truth
        before = contact


if __name__ == "__main__":
    main()
