"""A new sensor: the classifier of another sensor fails on it, five labelled contacts per object repair that."""

import matplotlib.pyplot as plt
import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets

touch, encoder = load_dataset("simulated-sitr", scale=0.05), load_encoder("twin-tvl")
source, pool, query = (
    touch.frames("DIGIT", "train"),
    touch.frames("Hex", "train"),
    touch.frames("Hex", "test"),
)
few = np.arange(len(pool)).reshape(len(touch.info.classes), -1)[:, ::8].ravel()
queries = encoder.encode(query.images[:])
taught = {
    "another sensor's\nlabels": Bideta().fit(encoder.encode(source.images[:]), source.labels),
    "five each of\nits own": Bideta(**presets.TOUCH).fit(encoder.encode(pool.images[few]), pool.labels[few]),
}
right = {name: 100 * np.mean(adapted.predict(queries) == query.labels) for name, adapted in taught.items()}

figure, ax = plt.subplots(figsize=(4, 3), layout="constrained")
ax.bar(list(right), list(right.values()), color=["#D55E00", "#0072B2"])
ax.set(ylabel="right answers (%)", ylim=(0, 100), title="sensor Hex (simulated)")
figure.savefig("new_sensor.png")
