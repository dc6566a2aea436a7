"""Touch as numbers in a robot's observation: what the LeRobot step ``bideta.lerobot.TouchLabels`` adds to every frame.

Runs offline with a simulated sensor and without LeRobot:

    python examples/lerobot_step.py

With LeRobot, put the step into the robot-observation pipeline. Pictures there carry the camera's name, and every number
is a scalar feature of its own (``touch.contact``, ``touch.bolt``, …, ``touch.foreign``), which ``transform_features``
declares:

    from bideta.lerobot import TouchLabels
    pipeline = RobotProcessorPipeline(steps=[TouchLabels("hex.bideta", camera="touch")], …)
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets
from bideta.live.sources import Simulated
from bideta.live.touch_numbers import TouchNumbers


def adapted(path: Path) -> Path:
    """The file of a sensor, as ``bideta adapt`` writes it."""
    touch, encoder = load_dataset("simulated-sitr", scale=0.05), load_encoder("twin-tvl")
    pool = touch.frames("Hex", "train")
    few = slice(2, len(pool), 5)  # 8 of 40 frames per class
    names = np.array(touch.info.classes)[pool.labels[few]]
    origin = {"encoder": "twin-tvl", "settings": {}, "fingerprint": encoder.fingerprint}
    Bideta(**presets.ROBOT).fit(encoder.encode(pool.images[few]), names, origin=origin).save(path)
    return path


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        touch = TouchNumbers(adapted(Path(folder) / "hex.bideta"))
    camera = Simulated("Hex", fps=1e6, n_presses=3)
    camera.open()
    label = truth = ""
    before = False
    for frame in range(240):
        picture = camera.read()
        numbers = touch.see(picture.image)
        contact = numbers.pop("touch.contact") > 0
        assert numbers.pop("touch.foreign") == 0  # 1 where the pictures are not this sensor's
        if before and not contact:
            print(f"frame {frame:3d}: touched {label!r} (simulated truth: {truth!r})")
        if contact:
            label, truth = max(numbers, key=numbers.get).removeprefix("touch."), picture.truth
        before = contact


if __name__ == "__main__":
    main()
