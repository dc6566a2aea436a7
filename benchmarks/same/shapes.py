"""What is timed in turns: each shape prepares its data and gives one call to repeat."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from benchmarks.same.entries import deploy
from benchmarks.same.features import contacts
from bideta import Bideta, presets

Call = Callable[[], Any]
ENCODER = (384, 768)  # features of the readouts of the embedded encoders
PRESETS = {"classification": presets.CLASSIFICATION, "ranking": presets.RANKING, "robot": presets.ROBOT}


def fit(preset: str, n: int, dims: tuple[int, int] = ENCODER) -> Call:
    """One adaptation to n labelled contacts of ten classes."""
    data = contacts(0, m=1, C=10, presses=n // 20, dims=dims).of(slice(None), "float32")
    return lambda: Bideta(**PRESETS[preset]).fit(data.support, data.labels)


def predict(preset: str, m: int, dims: tuple[int, int] = ENCODER) -> Call:
    """Probabilities of m queries after 160 labelled contacts."""
    data = contacts(0, m=m, C=10, presses=8, dims=dims).of(slice(None), "float32")
    adapted = Bideta(**PRESETS[preset]).fit(data.support, data.labels)
    return lambda: adapted.predict_proba(data.queries)


def stream(preset: str, learn: bool = False) -> Call:
    """One contact more in a full window of 256; with ``learn`` its label is told as well."""
    data = contacts(0, m=900, C=10, presses=8, dims=ENCODER).of(slice(None), "float32")
    adapted = Bideta(**PRESETS[preset]).fit(data.support, data.labels)
    online = deploy("OnlineBideta")(adapted, 256, max_support=16)
    told = itertools.cycle(zip(zip(*data.queries, strict=True), data.truth, strict=True))
    for contact, _ in itertools.islice(told, 300):
        online.predict_one(contact)

    def step() -> None:
        contact, label = next(told)
        online.predict_one(contact)
        if learn:
            online.learn_one(contact, label)

    return step


# Name → how to prepare it.
SHAPES: dict[str, Callable[[], Call]] = {
    "fit classification n=20": lambda: fit("classification", 20),
    "fit classification n=160": lambda: fit("classification", 160),
    "fit classification n=1280": lambda: fit("classification", 1280),
    "fit robot n=160": lambda: fit("robot", 160),
    "fit classification n=160 d=32+48": lambda: fit("classification", 160, (32, 48)),
    "predict classification m=1": lambda: predict("classification", 1),
    "predict classification m=40": lambda: predict("classification", 40),
    "predict classification m=200": lambda: predict("classification", 200),
    "predict classification m=200 d=32+48": lambda: predict("classification", 200, (32, 48)),
    "predict classification m=640": lambda: predict("classification", 640),
    "predict classification m=3200": lambda: predict("classification", 3200),
    "predict classification m=8192 d=32+48": lambda: predict("classification", 8192, (32, 48)),
    "predict ranking m=200": lambda: predict("ranking", 200),
    "predict ranking m=2000": lambda: predict("ranking", 2000),
    "predict robot m=1": lambda: predict("robot", 1),
    "predict robot m=40": lambda: predict("robot", 40),
    "predict robot m=640": lambda: predict("robot", 640),
    "predict_one classification": lambda: stream("classification"),
    "predict_one robot": lambda: stream("robot"),
    "predict_one and learn_one": lambda: stream("classification", learn=True),
}
