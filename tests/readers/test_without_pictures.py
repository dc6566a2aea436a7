"""Signals of taxels, and readouts that somebody else made: adapt → predict without a picture."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from bideta import Bideta, load_encoder
from bideta.encoders.signals import BANDS, MOVEMENT, STRENGTH, movement, strength
from support.taxels import touches


def answered(bideta, tmp_path, **arrays):
    """The table of all contacts, adapted to half of them."""
    halves = {"support": slice(None, None, 2), "queries": slice(1, None, 2)}
    for name, rows in halves.items():
        np.savez(tmp_path / f"{name}.npz", **{key: array[rows] for key, array in arrays.items()})
    code, said = bideta("adapt", tmp_path / "support.npz", "-o", tmp_path / "s.bideta")
    assert code == 0, said
    code, said = bideta("predict", tmp_path / "s.bideta", tmp_path / "queries.npz", "-o", tmp_path / "t.csv")
    assert code == 0, said
    with (tmp_path / "t.csv").open(newline="") as file:
        return list(csv.DictReader(file)), arrays["y"][1::2]


def test_taxels_are_told_apart(bideta, tmp_path):
    signals, labels = touches(seed=0, each=16)
    rows, truth = answered(bideta, tmp_path, X=signals, y=labels)
    assert np.mean([row["label"] == label for row, label in zip(rows, truth, strict=True)]) > 0.9
    origin = Bideta.load(tmp_path / "s.bideta").sensor_.origin
    assert origin["encoder"] == "signals"
    assert origin["settings"] == {"channels": 16}


def test_readouts_are_answered_as_the_estimator_answers_them(bideta, tmp_path):
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], 16)
    h1, h2 = (rng.normal(0, 1, (48, d)) + 2 * rng.normal(0, 1, (3, d)).repeat(16, axis=0) for d in (7, 5))
    rows, _ = answered(bideta, tmp_path, h1=h1.astype(np.float32), h2=h2.astype(np.float32), y=labels)
    adapted = Bideta.load(tmp_path / "s.bideta")
    assert [readout.shape[1] for readout in adapted.sensor_.support] == [7, 5]
    proba = adapted.predict_proba((h1[1::2].astype(np.float32), h2[1::2].astype(np.float32)))
    assert [row["probability"] for row in rows] == [f"{p:.6f}" for p in proba.max(axis=1)]


def test_an_encoder_of_pictures_refuses_signals(bideta, tmp_path):
    signals, labels = touches(seed=0, each=4)
    np.savez(tmp_path / "x.npz", X=signals, y=labels)
    code, said = bideta("adapt", tmp_path / "x.npz", "-o", tmp_path / "s.bideta", "--encoder", "twin-tvl")
    assert code == 2
    assert "expected (H, W, 3) uint8" in said


def test_strength_is_what_numpy_says():
    signal = np.random.default_rng(1).normal(size=(3, 30))
    told = strength(signal).reshape(3, STRENGTH)
    assert np.allclose(told[:, 0], signal.mean(axis=1), atol=1e-6)
    assert np.allclose(told[:, 1], signal.std(axis=1), atol=1e-6)
    assert np.allclose(told[:, 2:7], np.percentile(signal, (0, 25, 50, 75, 100), axis=1).T, atol=1e-6)
    assert np.allclose(told[:, 7], signal[:, 20:].mean(axis=1) - signal[:, :10].mean(axis=1), atol=1e-6)


@pytest.mark.parametrize(("cycles", "band"), [(0.4, BANDS - 1), (0.2, BANDS - 2), (0.1, BANDS - 3)])
def test_a_tone_lies_in_its_band(cycles, band):
    tone = np.sin(2 * np.pi * cycles * np.arange(100))[None]
    told = movement(tone)
    assert told.shape == (MOVEMENT,)
    assert told[:BANDS].argmax() == band


def test_lengths_may_differ_and_gaps_are_refused():
    encoder = load_encoder("signals", channels=2)
    first, second = encoder.encode([np.ones((2, 5)), np.ones((2, 1))])
    assert first.shape == (2, 2 * STRENGTH)
    assert np.isfinite(second).all()
    with pytest.raises(ValueError, match="not finite"):
        encoder.encode([np.full((2, 5), np.nan)])
    with pytest.raises(ValueError, match="expected signals"):
        encoder.encode([np.ones((3, 5))])
