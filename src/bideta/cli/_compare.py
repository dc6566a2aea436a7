"""``bideta evaluate --compare``: what else could be done with the same labelled contacts and the same readouts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from bideta import presets
from bideta.classifier import Classifier
from bideta.cli._table import print_table
from bideta.cli._threads import threads_for
from bideta.encoders import Readouts
from bideta.plugins import load_method
from bideta.protocol import metrics
from bideta.sensor import Sensor

METHODS: dict[str, Callable[[], Any]] = {
    "logistic regression": lambda: load_method("logistic"),
    "LDA": lambda: load_method("lda"),
    "BIDETA (the paper's preset)": lambda: Classifier(**presets.CLASSIFICATION),
    "ROBOT (preset robot)": lambda: Classifier(**presets.ROBOT),
}


def print_comparison(
    sensor: Sensor, readouts: Readouts, truth: NDArray[np.intp], own: NDArray[np.intp]
) -> None:
    """Print how well each method tells the images; ``own`` is what the sensor itself said, in class numbers."""
    if len(sensor.classes) == 1:
        raise ValueError("--compare needs two classes; the sensor knows one")
    table = Table(box=None, pad_edge=False)
    table.add_column("same labels, same encoder")
    for column in ("accuracy", "macro-F1", "seconds"):
        table.add_column(column, justify="right")
    for name, best, seconds in (*answers(sensor, readouts), ("this sensor, as its file says", own, None)):
        table.add_row(
            name,
            f"{metrics.accuracy(truth, best):.4f}",
            f"{metrics.macro_f1(truth, best, len(sensor.classes)):.4f}",
            "" if seconds is None else f"{seconds:.2f}",
        )
    print_table(table)


def answers(sensor: Sensor, readouts: Readouts) -> Iterator[tuple[str, NDArray[np.intp], float | None]]:
    """Each method, the class numbers that it answers, and the seconds that it took to adapt and answer."""
    methods = {
        name: method() for name, method in METHODS.items()
    }  # which brings the libraries that are limited below
    for name, method in methods.items():
        start = time.perf_counter()
        with threads_for(len(readouts[0])):
            best = np.asarray(method.fit(sensor.support, sensor.labels).predict(readouts))
        yield name, best, time.perf_counter() - start
