"""Every method that bideta is compared with, on one change of sensor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.same.entries import Entries
from bideta import plugins

EPOCHS = 5  # of the trained heads
C, DIMS, LATENT = 5, (20, 28), 8


def entries() -> Entries:
    """Probabilities of every method for one and two readouts, in both precisions."""
    for dtype in ("float32", "float64"):
        data = _change(dtype)
        for name in plugins.names("method"):
            info = plugins.find("method", name).INFO
            settings = {}
            if info.needs_torch:
                import torch

                torch.set_num_threads(1)
                settings = {"epochs": EPOCHS}
            wanted = [key for key in ("source",) if info.needs_source]
            wanted += [key for key in ("calibration", "source_calibration") if info.needs_calibration]
            method = plugins.load_method(name, **settings)
            method.fit(data["support"], data["labels"], **{key: data[key] for key in wanted})
            yield f"{name} {dtype}", method.predict_proba(data["queries"])
            yield f"{name} {dtype} labels", method.predict(data["queries"])
            yield f"{name} {dtype} alone", method.predict_proba(tuple(H[:1] for H in data["queries"]))


def _change(dtype: str) -> dict[str, Any]:
    """A labelled source sensor, few labelled contacts of a target sensor that turns and shifts its readouts."""
    rng = np.random.default_rng(20)
    means = 2 * rng.normal(size=(C, LATENT))
    mixing = [rng.normal(size=(LATENT, d)) for d in DIMS]
    turns = [np.linalg.qr(np.eye(d) + rng.normal(size=(d, d)))[0] for d in DIMS]
    offsets = [rng.normal(size=d) for d in DIMS]
    loud = [3 * rng.normal(size=(1, d)) for d in DIMS]

    def seen(latent: NDArray[Any], target: bool) -> tuple[NDArray[Any], ...]:
        readouts = []
        for A, R, b, direction in zip(mixing, turns, offsets, loud, strict=True):
            H = latent @ A + 0.3 * rng.normal(size=(len(latent), A.shape[1]))
            if target:
                H = (H + rng.normal(size=(len(H), 1)) @ direction) @ R + b
            readouts.append(H.astype(dtype))
        return tuple(readouts)

    def draw(y: NDArray[np.intp], target: bool) -> tuple[NDArray[Any], ...]:
        return seen(means[y] + rng.normal(size=(len(y), LATENT)), target)

    labels, truth, home = (np.repeat(np.arange(C), n) for n in (5, 24, 20))
    balls = rng.normal(size=(6, LATENT))
    return {
        "support": draw(labels, True),
        "labels": labels,
        "queries": draw(truth, True),
        "source": (draw(home, False), home),
        "calibration": seen(balls, True),
        "source_calibration": seen(balls, False),
    }
