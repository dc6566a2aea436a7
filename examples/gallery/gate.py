"""The gate: where readouts disagree or leave a contact open, its neighbours in the batch are asked more."""

import matplotlib.pyplot as plt
import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets

touch, encoder = load_dataset("simulated-sitr", scale=0.05), load_encoder("twin-tvl")
pool, query = touch.frames("Hex", "train"), touch.frames("Hex", "test")
few = np.arange(0, len(pool), 8)
adapted = Bideta(**presets.CLASSIFICATION).fit(encoder.encode(pool.images[few]), pool.labels[few])
result = adapted.infer(encoder.encode(query.images[:]))
alone = result.anchor.argmax(axis=1) == query.labels  # right before the neighbours were asked

figure, ax = plt.subplots(figsize=(4.5, 3), layout="constrained")
ax.hist([result.gate[alone], result.gate[~alone]], bins=12, label=["right by itself", "wrong by itself"])
ax.set(xlabel="gate: weight of the neighbours", ylabel="contacts", title="sensor Hex (simulated)")
ax.legend()
figure.savefig("gate.png")
