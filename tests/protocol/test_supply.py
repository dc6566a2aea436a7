from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from bideta.protocol.experiment import Cell
from bideta.protocol.supply import Supply
from support.tiny_run import PLUGIN, tiny_plan


@pytest.fixture(scope="module")
def supply(tmp_path_factory) -> Supply:
    folder = tmp_path_factory.mktemp("supply")
    return tiny_plan(folder, scale=0.05).supply(folder / "cache")


@pytest.fixture
def cell(supply) -> Cell:
    return Cell("budgets", PLUGIN, next(iter(supply.encoders)), "Hex", "lda", budget="5-shot")


def test_an_episode_holds_the_support_that_was_drawn(supply, cell):
    data = supply.episode(cell)
    assert np.bincount(data.support.labels).tolist() == [5] * 16
    assert data.n_classes == 16
    pool = supply.contacts(PLUGIN, cell.encoder, "Hex", "train")
    for readout, whole in zip(data.support.readouts, pool.readouts, strict=True):
        np.testing.assert_array_equal(readout, whole[data.rows])
    query = supply.contacts(PLUGIN, cell.encoder, "Hex", "test")
    np.testing.assert_array_equal(data.query.labels, query.labels)


def test_shots_are_nested(supply, cell):
    rows = [set(supply.episode(replace(cell, budget=f"{n}-shot")).rows.tolist()) for n in (2, 5, 10)]
    assert rows[0] < rows[1] < rows[2]


def test_the_split_hash_changes_with_rows_sensor_and_seed_and_with_nothing_else(supply, cell):
    own = supply.episode(cell).split_hash
    assert own == supply.episode(replace(cell, method="bideta", experiment="shots")).split_hash
    others = [
        supply.episode(replace(cell, **change)).split_hash
        for change in ({"seed": 1}, {"target": "Mini_3"}, {"budget": "2-shot"})
    ]
    assert len({own, *others, supply.inner_episode(cell).split_hash}) == 5


def test_inner_validation_never_opens_the_test_split(supply, cell):
    fresh = pickle.loads(pickle.dumps(supply))  # noqa: S301 (our own bytes)
    asked = []
    frames = fresh.frames
    fresh.frames = lambda *key: asked.append(key) or frames(*key)
    data = fresh.inner_episode(cell)
    assert {split for _, _, split in asked} == {"train"}
    assert set(data.support.presses).isdisjoint(data.query.presses)
    assert set(data.support.labels) == set(data.query.labels) == set(range(16))


def test_a_pickled_supply_carries_no_readouts_and_no_network(supply, cell):
    supply.episode(cell)
    assert supply.loaded
    copy = pickle.loads(pickle.dumps(supply))  # noqa: S301 (our own bytes)
    assert not copy.loaded
    assert len(pickle.dumps(supply)) < 20_000
    assert copy.episode(cell).split_hash == supply.episode(cell).split_hash


def test_cached_readouts_need_no_encoder(supply, cell):
    supply.episode(cell)
    copy = pickle.loads(pickle.dumps(supply))  # noqa: S301 (our own bytes)
    copy.encoders[cell.encoder].encode = None  # would fail if it were called
    assert len(copy.episode(cell).query) == 160


def test_calibration_readouts_exist_where_the_dataset_has_images(supply, cell):
    target, source = supply.episode(cell).read_calibration()
    assert target is not None
    assert source is not None
    assert len(target[0]) == 19
    assert not np.array_equal(target[0], source[0])


def test_an_unknown_encoder_is_named(supply, cell):
    with pytest.raises(ValueError, match="unknown encoder 'nobody'"):
        supply.episode(replace(cell, encoder="nobody"))
