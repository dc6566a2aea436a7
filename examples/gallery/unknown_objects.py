"""Unknown objects: contacts of objects that nobody enrolled get a higher novelty."""

import matplotlib.pyplot as plt
import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets
from bideta.deploy import find_unknown, hold_out

touch, encoder = load_dataset("simulated-sitr", scale=0.05), load_encoder("twin-tvl")
pool, query = touch.frames("Hex", "train"), touch.frames("Hex", "test")
few = np.flatnonzero(pool.labels < 12)[::3]  # four of sixteen objects are never enrolled
adapted = Bideta(**presets.ROBOT).fit(encoder.encode(pool.images[few]), pool.labels[few], pool.presses[few])
queries = encoder.encode(query.images[:])
strange = find_unknown(
    adapted, adapted.infer(queries), queries, false_alarms=0.1, held=hold_out(adapted, queries)
)
known = query.labels < 12

figure, ax = plt.subplots(figsize=(4.5, 3), layout="constrained")
ax.hist([strange.score[known], strange.score[~known]], bins=15, label=["enrolled", "not enrolled"])
ax.axvline(strange.threshold, color="k", linestyle=":", label="called unknown beyond")
ax.set(xlabel="novelty", ylabel="contacts", title="sensor Hex (simulated)")
ax.legend(fontsize=7)
figure.savefig("unknown_objects.png")
