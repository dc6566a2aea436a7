"""One press, many sensors: the same object looks different to each of the simulated designs."""

import matplotlib.pyplot as plt
import numpy as np

from bideta.sim import HOUSEHOLD, SENSORS, presses, render

contacts = presses(HOUSEHOLD, np.array([6]), np.random.default_rng(0), frames=1)
names = list(SENSORS)[:12]
figure, axes = plt.subplots(2, 6, figsize=(9, 3.4), layout="constrained")
for ax, name in zip(axes.flat, names, strict=True):
    ax.imshow(render(contacts, name, size=64)[0])
    ax.set_title(name, fontsize=8)
    ax.set_axis_off()
figure.suptitle("the same press on twelve sensors (simulated)")
figure.savefig("sensors.png")
