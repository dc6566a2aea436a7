"""What to label next: contacts that cover the pool, beside contacts taken by chance."""

import matplotlib.pyplot as plt
import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets
from bideta.deploy import suggest

touch, encoder = load_dataset("simulated-sitr", scale=0.02), load_encoder("twin-tvl")
pool, query = touch.frames("Hex", "train"), touch.frames("Hex", "test")
contacts, queries = encoder.encode(pool.images[:]), encoder.encode(query.images[:])
order = np.random.default_rng(0).permutation(len(pool))


def right(rows):
    """Per cent of the queries, after labelling these contacts."""
    adapted = Bideta(**presets.ROBOT).fit(
        tuple(H[rows] for H in contacts), pool.labels[rows], pool.presses[rows]
    )
    return 100 * np.mean(adapted.predict(queries) == query.labels)


budgets = (16, 24, 32, 48)
figure, ax = plt.subplots(figsize=(4.5, 3), layout="constrained")
ax.plot(
    budgets, [right(suggest(contacts, n, presses=pool.presses)) for n in budgets], "o-", label="suggested"
)
ax.plot(budgets, [right(order[:n]) for n in budgets], "o-", label="by chance")
ax.set(xlabel="labelled contacts in all", ylabel="right answers (%)", title="sensor Hex (simulated)")
ax.legend()
figure.savefig("what_to_label.png")
