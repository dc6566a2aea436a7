"""How many labels? Accuracy against labelled contacts per object, for BIDETA and for LDA with the same labels."""

import matplotlib.pyplot as plt
import numpy as np

from bideta import load_dataset, load_encoder, load_method

touch, encoder = load_dataset("simulated-sitr", scale=0.05), load_encoder("twin-tvl")
pool, query = touch.frames("Hex", "train"), touch.frames("Hex", "test")
labelled, queries = encoder.encode(pool.images[:]), encoder.encode(query.images[:])
rows = np.arange(len(pool)).reshape(len(touch.info.classes), -1)  # contacts of each object
rows = np.random.default_rng(0).permuted(rows, axis=1)
counts = (1, 2, 4, 8, rows.shape[1])

figure, ax = plt.subplots(figsize=(4.5, 3), layout="constrained")
for name in ("bideta", "lda"):
    right = []
    for n in counts:
        few = rows[:, :n].ravel()
        adapted = load_method(name).fit(tuple(H[few] for H in labelled), pool.labels[few])
        right.append(100 * np.mean(adapted.predict(queries) == query.labels))
    ax.plot(counts, right, "o-", label=name)
ax.set(xlabel="labelled contacts per object", ylabel="right answers (%)", title="sensor Hex (simulated)")
ax.legend()
figure.savefig("how_many_labels.png")
