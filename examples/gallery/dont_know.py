"""Don't know: the more doubtful answers are withheld, the fewer of the given ones are wrong."""

import matplotlib.pyplot as plt
import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets
from bideta.deploy import hold_out, reliability, risk_coverage

touch, encoder = load_dataset("simulated-sitr", scale=0.05), load_encoder("twin-tvl")
pool, query = touch.frames("Hex", "train"), touch.frames("Hex", "test")
few = np.arange(0, len(pool), 4)
adapted = Bideta(**presets.ROBOT).fit(encoder.encode(pool.images[few]), pool.labels[few], pool.presses[few])
queries = encoder.encode(query.images[:])
result = adapted.infer(queries)
sure = reliability(adapted, result, queries, held=hold_out(adapted, queries))
curve = risk_coverage(sure, result.proba.argmax(axis=1) == query.labels)

figure, ax = plt.subplots(figsize=(4.5, 3), layout="constrained")
ax.plot(100 * curve.coverage, 100 * curve.risk)
ax.set(
    xlabel="answered (%)",
    ylabel="wrong among the answered (%)",
    title="sensor Hex (simulated)",
    ylim=(0, None),
)
figure.savefig("dont_know.png")
