"""Slip or no slip from two frames, on twins: frame t and the one k frames before it in the same press.

An encoder that stacks two frames sees both at once; any encoder can be asked how far its readouts of both differ. The
question is what the second frame is worth.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from bideta import Bideta, presets
from bideta.encoders import Encoder, Readouts
from bideta.plugins import load_method
from bideta.sim import TACVERSE, PressRange, find_sensor, presses, render
from bideta.sim.truth import earlier, slipped

BACK = 2  # frames between the two
FRAMES = 20  # of a press
PRESSES = 120  # of each of pool and queries
LABELS, QUICK_LABELS = (5, 10, 20, 50), (5,)  # pairs of each class
INPUTS = ("change of readouts", "two frames", "one frame")
METHODS = ("bideta", "lda", "logistic")
SENSORS = ("GelSightMini", "Hex", "TacTip", "ViTacTip")  # of different skins: gel, dome, pins
SLIDE = PressRange(slide_mm=4.0)  # long enough that the gel cannot follow


class SlipSet:
    """Pairs of frames of one twin: as many that slip as do not, pool and queries of different presses."""

    def __init__(self, sensor: str, quick: bool = False) -> None:
        design = find_sensor(sensor)
        rng = np.random.default_rng(zlib.crc32(f"slip/{sensor}".encode()))
        count = 2 * (PRESSES // 6 if quick else PRESSES)
        contacts = presses(TACVERSE, rng.integers(0, len(TACVERSE), count), rng, frames=FRAMES, ranges=SLIDE)
        before = earlier(contacts, BACK)
        label = slipped(contacts, before)
        held = np.flatnonzero(before != np.arange(len(contacts)))
        # One pair of each press, so that no two pairs are nearly alike; classes in turn.
        chosen = []
        for press in range(count):
            rows = held[contacts.press[held] == press]
            wanted = rows[label[rows] == bool(press % 2)]
            if len(wanted):
                chosen.append(int(rng.choice(wanted)))
        rows = np.array(chosen)
        self.labels: NDArray[np.int64] = label[rows].astype(np.int64)
        self.presses: NDArray[np.int64] = contacts.press[rows]
        self.now, self.then = (render(contacts[part], design, seed=rng) for part in (rows, before[rows]))
        self.pool = np.flatnonzero(self.presses < count // 2)
        self.queries = np.flatnonzero(self.presses >= count // 2)

    def readouts(self, encoder: Encoder, what: str) -> Readouts:
        """Readouts of all pairs, of their later frames alone, or by how much both frames' readouts differ."""
        if what == "change of readouts":
            both = zip(encoder.encode(self.now), encoder.encode(self.then), strict=True)
            return tuple(np.abs(now - then) for now, then in both)
        return encoder.encode(self.now, self.then if what == "two frames" else None)


def accuracy(pairs: SlipSet, readouts: Readouts, method: str, labels: int, seed: int) -> dict[str, float]:
    """Share of queries told rightly, mean over the two classes, from ``labels`` pairs of each."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate(
        [rng.permutation(pairs.pool[pairs.labels[pairs.pool] == c])[:labels] for c in (0, 1)]
    )
    model = Bideta(**presets.TOUCH) if method == "bideta" else load_method(method)
    model.fit(tuple(H[rows] for H in readouts), pairs.labels[rows])
    told = np.asarray(model.predict(tuple(H[pairs.queries] for H in readouts)))
    truth = pairs.labels[pairs.queries]
    shares = [float((told[truth == c] == c).mean()) for c in (0, 1)]
    return {"accuracy": float(np.mean(shares)), "stick": shares[0], "slip": shares[1]}
