"""One contact at a time: a correction is learnt at once, and the share of right answers grows."""

import matplotlib.pyplot as plt
import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets
from bideta.deploy import OnlineBideta

touch, encoder = load_dataset("simulated-sitr", scale=0.05), load_encoder("twin-tvl")
pool, query = touch.frames("Wedge", "train"), touch.frames("Wedge", "test")
few = np.arange(0, len(pool), 20)
online = OnlineBideta(Bideta(**presets.ROBOT).fit(encoder.encode(pool.images[few]), pool.labels[few]))
readouts, right = encoder.encode(query.images[:]), []
for row in np.random.default_rng(0).permutation(len(query)):
    contact = tuple(H[row] for H in readouts)
    right.append(online.predict_one(contact).label == query.labels[row])
    if not right[-1]:
        online.learn_one(contact, query.labels[row])  # somebody corrected it

figure, ax = plt.subplots(figsize=(4.5, 3), layout="constrained")
ax.plot(100 * np.cumsum(right) / np.arange(1, len(right) + 1))
ax.set(xlabel="contacts so far", ylabel="right at once (%)", ylim=(0, 100), title="sensor Wedge (simulated)")
figure.savefig("stream.png")
