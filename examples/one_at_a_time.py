"""A robot's day: contacts arrive one by one, are answered at once, and a correction is learnt at once.

python examples/one_at_a_time.py        (offline, simulated sensor)
"""

from __future__ import annotations

import numpy as np

from bideta import Bideta, load_dataset, load_encoder, presets
from bideta.deploy import OnlineBideta


def main() -> None:
    touch, encoder = load_dataset("simulated-sitr", scale=0.05), load_encoder("twin-tvl")
    names = np.array(touch.info.classes)
    pool, query = touch.frames("Wedge", "train"), touch.frames("Wedge", "test")
    few = slice(5, len(pool), 20)  # two labelled contacts per class
    sensor = Bideta(**presets.ROBOT).fit(encoder.encode(pool.images[few]), names[pool.labels[few]])

    online = OnlineBideta(sensor)
    readouts = encoder.encode(query.images[:])
    order = np.random.default_rng(0).permutation(len(query))
    for part, rows in enumerate(np.array_split(order, 4), 1):
        right = 0
        for row in rows:
            contact, truth = tuple(H[row] for H in readouts), names[query.labels[row]]
            answer = online.predict_one(contact)
            right += answer.label == truth
            if answer.label != truth:
                online.learn_one(contact, truth)  # somebody corrected it
        print(f"quarter {part} of the stream: {right / len(rows):.0%} right at once (simulated)")
    print(f"the sensor now knows {len(online.current().sensor_.labels)} labelled contacts")


if __name__ == "__main__":
    main()
