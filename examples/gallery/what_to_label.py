"""What to label next: contacts that cover the pool, beside contacts taken by chance."""

import matplotlib.pyplot as plt
import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets
from bideta.deploy import suggest

touch, encoder = load_dataset("simulated-sitr", scale=0.05), load_encoder("twin-tvl")
pool, query = touch.frames("Hex", "train"), touch.frames("Hex", "test")
contacts, queries = encoder.encode(pool.images[:]), encoder.encode(query.images[:])
orders = [np.random.default_rng(seed).permutation(len(pool)) for seed in range(3)]


def right(rows):
    """Per cent of the queries, after labelling these contacts."""
    adapted = Bideta(**presets.ROBOT).fit(
        tuple(H[rows] for H in contacts), pool.labels[rows], pool.presses[rows]
    )
    return 100 * np.mean(adapted.predict(queries) == query.labels)


budgets = (16, 32, 48)
figure, ax = plt.subplots(figsize=(4.5, 3), layout="constrained")
ax.plot(
    budgets, [right(suggest(contacts, n, presses=pool.presses)) for n in budgets], "o-", label="suggested"
)
ax.plot(
    budgets,
    [np.mean([right(order[:n]) for order in orders]) for n in budgets],
    "o-",
    label="by chance, mean of three",
)
ax.set(xlabel="labelled contacts in all", ylabel="right answers (%)", title="sensor Hex (simulated)")
ax.legend()
figure.savefig("what_to_label.png")
