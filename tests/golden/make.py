"""Wrote the files beside it, with version 0.1: an artifact of each kind, some contacts, and what the sensor answered.

They are kept as they are: a later version must load them and answer the same.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bideta import Bideta, presets

HERE = Path(__file__).parent
NAMES = np.array(["bolt", "coin", "key", "nut"])
WIDTHS = (5, 7)


def contacts(rng: np.random.Generator, y: np.ndarray, presses: np.ndarray) -> tuple[np.ndarray, ...]:
    """Two readouts of frames that share a class and a press."""
    readouts = []
    for d in WIDTHS:
        means, moved = rng.normal(size=(4, d)) * 1.2, rng.normal(size=(presses.max() + 1, d)) * 0.6
        readouts.append((means[y] + moved[presses] + 0.5 * rng.normal(size=(len(y), d))).round(6))
    return tuple(readouts)


def main() -> None:
    """Write both artifacts and their answers."""
    rng = np.random.default_rng(17)
    y = np.arange(4).repeat(21)
    presses = np.arange(len(y)) // 3
    H = contacts(rng, y, presses)
    labelled = np.arange(len(y)) % 21 < 9  # three presses of each class
    support, queries = (tuple(part[rows] for part in H) for rows in (labelled, ~labelled))
    one_class = y[~labelled] == 2
    sensors = {
        "robot": Bideta(**{**presets.ROBOT, "n_neighbors": 7}).fit(
            support, NAMES[y[labelled]], presses[labelled]
        ),
        "paper": Bideta(n_neighbors=9, prior=np.array([0.4, 0.3, 0.2, 0.1])).fit(support, NAMES[y[labelled]]),
    }
    for name, adapted in sensors.items():
        adapted.save(HERE / f"version-0.1-{name}.bideta")
        result = adapted.infer(queries)
        np.savez_compressed(
            HERE / f"version-0.1-{name}.npz",
            h1=queries[0],
            h2=queries[1],
            labels=adapted.predict(queries),
            proba=result.proba,
            anchor=result.anchor,
            gate=result.gate,
            one_class=one_class,
            proba_of_one_class=adapted.predict_proba(tuple(Q[one_class] for Q in queries)),
            proba_of_one_contact=adapted.predict_proba(tuple(Q[:1] for Q in queries)),
        )


if __name__ == "__main__":
    main()
