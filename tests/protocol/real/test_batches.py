from __future__ import annotations

import numpy as np
import pytest

from bideta.protocol.real.batches import BATCHES, NAMES, SIZES, draw_batches

LABELS = np.repeat([0, 1, 2, 3], [12, 12, 24, 24])
PRESSES = np.arange(72) // 3


def counts(name, seed=0):
    (rows,) = draw_batches(name, LABELS, PRESSES, np.random.default_rng(seed))
    return np.bincount(LABELS[rows], minlength=4)


@pytest.mark.parametrize("name", BATCHES)
def test_whole_presses_are_drawn_once(name):
    (rows,) = draw_batches(name, LABELS, PRESSES, np.random.default_rng(0))
    assert len(np.unique(rows)) == len(rows) > 0
    assert set(np.bincount(PRESSES[rows])) <= {0, 3}


def test_batches_are_what_they_are_called():
    assert counts("balanced").tolist() == [12, 12, 12, 12]
    assert counts("as recorded").tolist() == [12, 12, 24, 24]
    assert sorted(set(counts("2:1"))) in ([6, 12], [12, 24])
    assert (counts("few classes") > 0).sum() == 2
    assert (counts("one class") > 0).sum() == 1
    assert len({tuple(counts("Dirichlet 0.1", seed)) for seed in range(5)}) > 1


@pytest.mark.parametrize("name", SIZES)
def test_small_batches_have_their_size(name):
    drawn = list(draw_batches(name, LABELS, PRESSES, np.random.default_rng(0)))
    assert {len(rows) for rows in drawn} <= {SIZES[name]}


def test_names():
    assert len(NAMES) == len(BATCHES) + len(SIZES) + 1
