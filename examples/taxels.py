"""A sensor without a picture: sixteen taxels (simulated), the encoder ``signals``, an adapted sensor.

    python examples/taxels.py

Own recordings: arrays (contacts, channels, time) and labels, ``numpy.savez("taxels.npz", X=signals, y=labels)``, then
``bideta adapt taxels.npz -o skin.bideta``.
"""

from __future__ import annotations

import numpy as np

from bideta import Bideta, load_encoder, presets

SIDE, TIME = 4, 40
OBJECTS = ("edge", "flat", "point")


def touch(kind: str, rng: np.random.Generator) -> np.ndarray:
    """(16, time) pressures of one press at a random place and speed."""
    away = np.abs(np.indices((SIDE, SIDE)) - rng.uniform(1, 2, (2, 1, 1)))
    shape = {
        "edge": np.exp(-(away[0] ** 2)),
        "flat": np.full((SIDE, SIDE), 0.5),
        "point": np.exp(-(away**2).sum(0)),
    }
    rise = np.clip(np.linspace(0, rng.uniform(1.5, 4), TIME), 0, 1)
    return rng.uniform(0.8, 1.2) * shape[kind].ravel()[:, None] * rise + rng.normal(
        0, 0.05, (SIDE * SIDE, TIME)
    )


def main() -> None:
    rng = np.random.default_rng(0)
    encoder = load_encoder("signals", channels=SIDE * SIDE)
    labels, queries = np.tile(OBJECTS, 5), np.tile(OBJECTS, 50)
    support = encoder.encode([touch(kind, rng) for kind in labels])
    adapted = Bideta(**presets.TOUCH).fit(support, labels)
    told = adapted.predict(encoder.encode([touch(kind, rng) for kind in queries]))
    print(
        f"five labelled presses of each object: {np.mean(told == queries):.0%} of {len(queries)} right (simulated)"
    )


if __name__ == "__main__":
    main()
