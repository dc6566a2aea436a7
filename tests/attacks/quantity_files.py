"""Files of quantities that were changed on purpose and sealed again: refused, or answered with finite intervals."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from attacks.sensor_files import UNTOUCHED
from attacks.sensor_files_resealed import QUIET, hostile
from attacks.tally import Tally
from attacks.worker import judged
from bideta import BidetaRegressor
from support.quantities import contacts

CONTACTS = contacts(n=24, m=12, widths=(5, 6))
ORIGIN = {"encoder": "handmade", "settings": {}, "fingerprint": "0"}


@cache
def originals() -> tuple[bytes, ...]:
    """A plain file, and one with every field."""
    presses = np.arange(len(CONTACTS.values)) // 2
    more = {"presses": presses, "background": UNTOUCHED, "origin": ORIGIN}
    sensors = (
        BidetaRegressor().fit(CONTACTS.support, CONTACTS.values),
        BidetaRegressor(targets=["depth_mm", "tilt_deg"], periods={"tilt_deg": 360}).fit(
            CONTACTS.support, CONTACTS.values, **more
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        path, made = Path(folder, "a.bideta"), []
        for sensor in sensors:
            sensor.save(path)
            made.append(path.read_bytes())
        return tuple(made)


def answer(content: bytes) -> None:
    """Load and ask; values are finite and inside their intervals."""
    with tempfile.TemporaryDirectory() as folder, np.errstate(**QUIET):
        path = Path(folder, "attack.bideta")
        path.write_bytes(content)
        said = BidetaRegressor.load(path).infer(CONTACTS.queries)
    assert np.isfinite(said.value).all(), "a value is NaN or infinity"
    assert not np.isnan(said.lower).any(), "an interval without an end"
    assert ((said.lower <= said.value) & (said.value <= said.upper)).all(), "a value outside its interval"
    assert not np.isnan(said.strangeness).any(), "a strangeness that is no number"


def warm_up() -> None:
    """Load what the first answer loads."""
    for content in originals():
        answer(content)


def cases(rng: np.random.Generator, tries: int) -> Iterator[bytes]:
    """Hostile files."""
    return hostile(originals(), rng, tries)


def attack(rng: np.random.Generator, tries: int) -> Tally:
    """Changes on purpose; the checks of what a file holds find them."""
    return judged(
        "quantity_files", cases(rng, tries), answer, (ValueError,)
    )  # also: readouts of other widths
