"""Quantities: depth in millimetres with intervals, from forty measured contacts."""

import matplotlib.pyplot as plt
import numpy as np

from bideta import BidetaRegressor, load_encoder
from bideta.sim import TACVERSE, PressRange, find_sensor, presses, render
from bideta.sim.truth import quantities

rng, sensor = np.random.default_rng(0), find_sensor("Hex")
ranges = PressRange(depth_mm=(0.5, 1.5))
contacts = presses(TACVERSE[:1], np.zeros(100, int), rng, frames=1, ranges=ranges)
depth = quantities(contacts, sensor)["depth_mm"]
readouts = load_encoder("twin-tvl").encode(render(contacts, sensor, seed=rng))
taught, asked = (tuple(H[rows] for H in readouts) for rows in (slice(0, 40), slice(40, None)))
adapted = BidetaRegressor(targets=["depth_mm"]).fit(taught, depth[:40])
told = np.ravel(adapted.predict(asked))
lower, upper = map(np.ravel, adapted.predict_interval(asked, coverage=0.9))

figure, ax = plt.subplots(figsize=(4, 3.4), layout="constrained")
ax.errorbar(
    depth[40:], told, np.maximum([told - lower, upper - told], 0), fmt="o", markersize=3, elinewidth=0.7
)
ax.axline((1, 1), slope=1, color="k", linewidth=0.7)
ax.set(xlabel="true depth (mm)", ylabel="answer, 90 % interval (mm)", title="sensor Hex (simulated)")
figure.savefig("depth.png")
