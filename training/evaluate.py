"""Numbers of the model cards: `python -m training.evaluate twin-tvl`, trained weights beside the untrained control.

The only place of this folder that touches the evaluation classes; it runs after training and on the source
sensor only.
"""

from __future__ import annotations

import argparse
import json
import time

from bideta.encoders import Encoder
from bideta.plugins import load_dataset, load_encoder
from training.probe import accuracy

LEVELS = ("easy", "medium", "hard")
SPEED_BATCH, SPEED_REPEATS = 256, 4


def source_probe(encoders: dict[str, Encoder], level: str, scale: float, seed: int) -> dict[str, float]:
    """Accuracy on held-out presses of the 16 simulated objects, DIGIT, by logistic regression on the readouts."""
    dataset = load_dataset("simulated-sitr", difficulty=level, scale=scale, seed=seed)
    train, test = (dataset.frames(dataset.info.source, split) for split in ("train", "test"))
    report = {}
    for name, encoder in encoders.items():
        h, q = (encoder.encode(frames.images, frames.previous) for frames in (train, test))
        report[name] = round(accuracy(h, train.labels, q, test.labels), 4)
    return report


def speed(encoder: Encoder) -> float:
    """Images per CPU-second, one thread, frames that need no resizing."""
    dataset = load_dataset("simulated-sitr", scale=0.1)
    images = dataset.frames(dataset.info.source, "test").images[:SPEED_BATCH]
    encoder.encode(images)
    start = time.process_time()
    for _ in range(SPEED_REPEATS):
        encoder.encode(images)
    return SPEED_REPEATS * len(images) / (time.process_time() - start)


def main() -> None:
    """Prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description=__doc__)
    parser.add_argument("encoder", choices=["twin-tvl", "twin-sparsh"])
    parser.add_argument("--scale", type=float, default=0.1, help="share of the 800 + 200 frames per class")
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=LEVELS)
    parser.add_argument("--seed", type=int, default=0, help="of the presses and of the control's weights")
    options = parser.parse_args()
    encoders = {
        "trained": load_encoder(options.encoder, threads=1),
        "control": load_encoder(options.encoder, threads=1, random_weights=True, seed=options.seed),
    }
    report = {
        "encoder": options.encoder,
        "scale": options.scale,
        "seed": options.seed,
        "images_per_cpu_second": round(speed(encoders["trained"])),
        "source_probe": {
            level: source_probe(encoders, level, options.scale, options.seed) for level in options.levels
        },
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
