"""Sensors without a picture (taxels, BioTac, uSkin): readouts of channels × time in closed form, without weights.

Readout 1 says how strong each channel is: mean, spread, smallest, quartiles, largest, and how it changes from the first
to the last third. Readout 2 says how it moves: its power in bands of frequency, and how far it jumps between samples.
Contacts may differ in length; they must not differ in channels.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.encoders import Encoder, EncoderInfo, Readouts
from bideta.encoders.runners.batches import joined, sliced

VERSION = 1  # raise it when any number below or any line of a feature changes
BANDS = 8  # of frequency, each twice as wide as the one below, up to half a cycle a sample
FAINTEST = 1e-6  # power below which a band counts as silent
STRENGTH = 8  # numbers of a channel in readout 1
MOVEMENT = BANDS + 1  # numbers of a channel in readout 2

INFO = EncoderInfo(
    name="signals",
    title="Channels over time: strength; spectrum",
    input_size=1,
    readouts=(STRENGTH, MOVEMENT),  # of one channel
    parameters=0,
    licence="Apache-2.0",
    reference="ours: statistics and spectrum of every channel",
    url="bideta help bring-your-data",
    run_by="numpy",
    takes="signals",
    decisive=("channels",),
)


def load(channels: int = 1) -> Encoder:
    """The encoder of a sensor with so many channels."""
    if not isinstance(channels, int) or not 1 <= channels <= 100_000:
        raise ValueError(f"channels is {channels!r}, expected a number of at least 1")
    return Signals(channels)


class Signals:
    """The readouts, contact by contact."""

    def __init__(self, channels: int) -> None:
        self.channels = channels
        self.info = replace(INFO, readouts=(STRENGTH * channels, MOVEMENT * channels))
        recipe = f"signals {VERSION} {channels} {BANDS} {FAINTEST}"
        self.fingerprint = hashlib.sha256(recipe.encode()).hexdigest()

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Two float32 readouts of contacts ``(channels, time)``, which may differ in length."""
        parts = []
        for batch, _ in sliced(images, previous, batch_size, channels=3):
            rows = [(strength(signal), movement(signal)) for signal in map(self._checked, batch)]
            if rows:
                parts.append([np.stack(readout) for readout in zip(*rows, strict=True)])
        return joined(parts, self.info)

    def _checked(self, contact: Any) -> NDArray[np.float64]:
        signal = np.asarray(contact)
        if (
            signal.ndim != 2
            or signal.dtype.kind not in "fiu"
            or len(signal) != self.channels
            or not signal.size
        ):
            raise ValueError(
                f"a contact has shape {signal.shape} and dtype {signal.dtype}, expected signals ({self.channels}, time)"
            )
        if not np.isfinite(signal).all():
            raise ValueError("a contact has signals that are not finite; fill the gaps first")
        return signal.astype(np.float64)


def strength(signal: NDArray[np.float64]) -> NDArray[np.float32]:
    """Mean, standard deviation, smallest, quartiles, largest and change of each channel."""
    third = max(signal.shape[1] // 3, 1)
    change = signal[:, -third:].mean(axis=1) - signal[:, :third].mean(axis=1)
    order = np.percentile(signal, (0, 25, 50, 75, 100), axis=1)
    rows = np.vstack([signal.mean(axis=1), signal.std(axis=1), order, change])  # (STRENGTH, channels)
    return rows.T.ravel().astype(np.float32)


def movement(signal: NDArray[np.float64]) -> NDArray[np.float32]:
    """Logarithm of the mean power in each band, and of the mean square of the jumps, of each channel."""
    length = signal.shape[1]
    waves = np.fft.rfft(signal - signal.mean(axis=1, keepdims=True), axis=1)[:, 1:]
    power = np.square(np.abs(waves)) / length**2
    frequency = np.fft.rfftfreq(length)[1:]
    # The highest band is a quarter to half a cycle a sample, the next one half as wide and half as high, …
    band = np.clip(np.floor(np.log2(np.maximum(frequency, 1e-12) / 0.5)) + BANDS, 0, BANDS - 1).astype(
        np.intp
    )
    sums = np.zeros((len(signal), BANDS))
    np.add.at(sums.T, band, power.T)
    jumps = np.square(np.diff(signal, axis=1)).mean(axis=1) if length > 1 else np.zeros(len(signal))
    return np.log(np.column_stack([sums, jumps]) + FAINTEST).ravel().astype(np.float32)
