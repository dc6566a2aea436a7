"""Unbalanced batches: three of sixteen objects are touched. A prior that looks at the batch does not invent others."""

import matplotlib.pyplot as plt
import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets

touch, encoder = load_dataset("simulated-sitr", scale=0.1), load_encoder("twin-tvl")
pool, query = touch.frames("Hex", "train"), touch.frames("Hex", "test")
few, asked = np.arange(0, len(pool), 8), np.flatnonzero(query.labels < 3)
labelled, queries = encoder.encode(pool.images[few]), encoder.encode(query.images[asked])

figure, ax = plt.subplots(figsize=(4.5, 3), layout="constrained")
places = np.arange(len(touch.info.classes))
for shift, prior in ((-0.2, "support"), (0.2, "relaxed")):
    adapted = Bideta(**{**presets.TOUCH, "prior": prior}).fit(labelled, pool.labels[few])
    told = adapted.predict(queries)
    label = f"prior {prior}: {np.mean(told == query.labels[asked]):.0%} right"
    ax.bar(places + shift, np.bincount(told, minlength=len(places)), width=0.4, label=label)
ax.set_xticks(places, touch.info.classes, rotation=90)
ax.set(ylabel="answers", title="only the first three were touched (simulated)")
ax.legend()
figure.savefig("unbalanced.png")
