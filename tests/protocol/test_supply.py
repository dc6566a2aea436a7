from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from bideta.datasets.simulated_sitr import INFO
from bideta.protocol.experiments import Cell
from bideta.protocol.supply import Bench, check_target, per_class, shots, source_rows
from tiny_run import PLUGIN, tiny_encoder, tiny_plan


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> Bench:
    folder = tmp_path_factory.mktemp("bench")
    return tiny_plan(folder, scale=0.05).bench(folder / "cache")


@pytest.fixture
def cell(bench) -> Cell:
    return Cell("budgets", PLUGIN, next(iter(bench.encoders)), "Hex", "lda", budget="5-shot")


def test_an_episode_holds_the_support_that_was_drawn(bench, cell):
    data = bench.episode(cell)
    assert np.bincount(data.support.labels).tolist() == [5] * 16
    assert data.n_classes == 16
    pool = bench.contacts(PLUGIN, cell.encoder, "Hex", "train")
    for view, whole in zip(data.support.views, pool.views, strict=True):
        np.testing.assert_array_equal(view, whole[data.rows])
    query = bench.contacts(PLUGIN, cell.encoder, "Hex", "test")
    np.testing.assert_array_equal(data.query.labels, query.labels)


def test_shots_are_nested(bench, cell):
    rows = [set(bench.episode(replace(cell, budget=f"{n}-shot")).rows.tolist()) for n in (2, 5, 10)]
    assert rows[0] < rows[1] < rows[2]


def test_the_split_hash_changes_with_rows_sensor_and_seed_and_with_nothing_else(bench, cell):
    own = bench.episode(cell).split_hash
    assert own == bench.episode(replace(cell, method="bideta", experiment="shots")).split_hash
    others = [
        bench.episode(replace(cell, **change)).split_hash
        for change in ({"seed": 1}, {"target": "Mini_3"}, {"budget": "2-shot"})
    ]
    assert len({own, *others, bench.inner_episode(cell).split_hash}) == 5


def test_inner_validation_never_opens_the_test_split(bench, cell):
    fresh = pickle.loads(pickle.dumps(bench))  # noqa: S301 (our own bytes)
    asked = []
    frames = fresh.frames
    fresh.frames = lambda *key: asked.append(key) or frames(*key)
    data = fresh.inner_episode(cell)
    assert {split for _, _, split in asked} == {"train"}
    assert set(data.support.groups).isdisjoint(data.query.groups)
    assert set(data.support.labels) == set(data.query.labels) == set(range(16))


def test_a_pickled_bench_carries_no_readouts_and_no_network(bench, cell):
    bench.episode(cell)
    assert bench.held
    copy = pickle.loads(pickle.dumps(bench))  # noqa: S301 (our own bytes)
    assert not copy.held
    assert len(pickle.dumps(bench)) < 20_000
    assert copy.episode(cell).split_hash == bench.episode(cell).split_hash


def test_cached_readouts_need_no_encoder(bench, cell):
    bench.episode(cell)
    copy = pickle.loads(pickle.dumps(bench))  # noqa: S301 (our own bytes)
    copy.encoders[cell.encoder].encode = None  # would fail if it were called
    assert len(copy.episode(cell).query) == 160


def test_calibration_readouts_exist_where_the_dataset_has_images(bench, cell):
    data = bench.episode(cell)
    assert data.calibration is not None
    assert data.source_calibration is not None
    assert len(data.calibration[0]) == 19
    assert not np.array_equal(data.calibration[0], data.source_calibration[0])


def test_source_contacts_are_thinned_only_where_enough_are_left():
    many, few = np.repeat(np.arange(16), 800), np.repeat(np.arange(16), 12)
    np.testing.assert_array_equal(source_rows(many, INFO), np.arange(0, 12800, 4))
    np.testing.assert_array_equal(source_rows(few, INFO), np.arange(192))
    np.testing.assert_array_equal(source_rows(many, replace(INFO, simulated=False)), np.arange(12800))


def test_budgets_and_shots_shrink_with_a_twin_and_never_with_recorded_data():
    labels = np.repeat(np.arange(16), 4)
    assert shots("10%", INFO) == 80
    assert shots("7-shot", INFO) == 7
    assert per_class("7-shot", INFO, labels) == 4
    assert per_class("7-shot", replace(INFO, simulated=False), labels) == 7
    with pytest.raises(ValueError, match="unknown budget '3%'"):
        shots("3%", INFO)


def test_the_source_is_no_target():
    with pytest.raises(ValueError, match="DIGIT is the source"):
        check_target(INFO, "DIGIT")
    with pytest.raises(ValueError, match="single split"):
        check_target(replace(INFO, splits=("all",)), "Hex")


def test_an_unknown_encoder_is_named(bench, cell):
    with pytest.raises(ValueError, match="unknown encoder 'nobody'"):
        bench.episode(replace(cell, encoder="nobody"))


def test_the_encoder_is_known_before_it_is_loaded(tmp_path):
    plan = tiny_plan(tmp_path)
    bench = plan.bench(None)
    (encoder,) = bench.encoders.values()
    assert encoder.info.name == "onnx:tiny.onnx"
    assert len(encoder.fingerprint) == 64
    assert encoder.name == tiny_encoder(tmp_path)
