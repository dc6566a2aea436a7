"""The scikit-learn contract of BidetaRegressor, what it takes and gives, and its file."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from bideta import Bideta, BidetaRegressor, artifact, quantity_file, sensor_file
from support.quantities import contacts
from support.sensor_shift import episode

COLUMNS = ["depth_mm", "tilt_x_deg"]


@parametrize_with_checks([BidetaRegressor()])
def test_scikit_learn_contract(estimator, check) -> None:
    check(estimator)


def test_names_and_units_travel_into_the_sensor_and_its_file(tmp_path) -> None:
    c = contacts()
    adapted = BidetaRegressor(targets=COLUMNS, periods={"tilt_x_deg": 360}).fit(c.support, c.values)
    first, second = adapted.sensor_.targets
    assert (first.name, first.unit, first.period) == ("depth", "mm", None)
    assert (second.name, second.unit, second.period, second.signed) == ("tilt_x", "deg", 360, True)
    adapted.save(tmp_path / "a.bideta")
    loaded = BidetaRegressor.load(tmp_path / "a.bideta")
    assert loaded.sensor_.targets == adapted.sensor_.targets
    assert loaded.targets == COLUMNS
    for a, b in zip(adapted.predict_interval(c.queries), loaded.predict_interval(c.queries), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(adapted.predict(c.queries), loaded.predict(c.queries))


def test_presses_are_kept_in_the_file(tmp_path) -> None:
    c = contacts()
    adapted = BidetaRegressor().fit(c.support, c.values, np.arange(30) // 2, origin={"encoder": "x"})
    adapted.save(tmp_path / "a.bideta")
    loaded = BidetaRegressor.load(tmp_path / "a.bideta")
    np.testing.assert_array_equal(loaded.sensor_.presses, np.arange(30) // 2)
    np.testing.assert_array_equal(loaded.sensor_.model.scores, adapted.sensor_.model.scores)
    assert loaded.sensor_.origin == {"encoder": "x"}


def test_one_target_gives_one_dimension_and_several_give_columns() -> None:
    c = contacts()
    one = BidetaRegressor().fit(c.support, c.values[:, 0])
    assert one.predict(c.queries).shape == (60,)
    assert one.predict_interval(c.queries)[0].shape == (60,)
    assert BidetaRegressor().fit(c.support, c.values).predict(c.queries).shape == (60, 2)
    joined = BidetaRegressor(split=8).fit(np.hstack(c.support), c.values[:, 0])
    np.testing.assert_array_equal(joined.predict(np.hstack(c.queries)), one.predict(c.queries))
    assert joined.score(np.hstack(c.queries), c.truth[:, 0]) > 0.9


def test_it_is_cloned_and_cross_validated() -> None:
    c = contacts(n=60)
    regressor = clone(BidetaRegressor(targets=["depth_mm"], split=8))
    assert cross_val_score(regressor, np.hstack(c.support), c.values[:, 0], cv=3).min() > 0.8


def test_a_wider_promise_is_a_wider_interval() -> None:
    c = contacts()
    adapted = BidetaRegressor().fit(c.support, c.values)
    widths = [
        np.subtract(*adapted.predict_interval(c.queries, coverage)[::-1]) for coverage in (0.5, 0.8, 0.95)
    ]
    assert (widths[0] <= widths[1]).all()
    assert (widths[1] <= widths[2]).all()
    result = adapted.infer(c.queries)
    assert (result.lower <= result.value).all()
    assert (result.value <= result.upper).all()


def test_copies_of_contacts_promise_no_more_than_the_contacts() -> None:
    c = contacts(n=12, m=300)
    again = np.r_[np.arange(12), np.arange(12)]
    once = BidetaRegressor().fit(c.support, c.values)
    twice = BidetaRegressor().fit(tuple(H[again] for H in c.support), c.values[again])
    held = [adapted.infer(c.queries, 0.9).holds(c.truth).mean() for adapted in (once, twice)]
    assert min(held) > 0.85, held
    errors = [np.abs(adapted.predict(c.queries) - c.truth).mean(axis=0) for adapted in (once, twice)]
    np.testing.assert_allclose(errors[1], errors[0], rtol=0.2)


def test_copies_chain_presses_together(tmp_path) -> None:
    c = contacts(n=6)
    rows = np.array([0, 1, 1, 2, 2, 3])  # presses 0 and 1 share a copy, so do 1 and 2
    adapted = BidetaRegressor().fit(tuple(H[rows] for H in c.support), c.values[rows], [0, 0, 1, 1, 2, 3])
    assert adapted.sensor_.model.n_presses == 2
    adapted.save(tmp_path / "a.bideta")
    loaded = BidetaRegressor.load(tmp_path / "a.bideta")
    np.testing.assert_array_equal(loaded.sensor_.presses, [0, 0, 1, 1, 2, 3])
    np.testing.assert_array_equal(loaded.predict_interval(c.queries), adapted.predict_interval(c.queries))
    unlike = c.values[rows] + np.arange(6)[:, None]  # the same picture measured anew is no copy
    assert BidetaRegressor().fit(tuple(H[rows] for H in c.support), unlike).sensor_.model.n_presses == 6


def test_intervals_wider_than_is_useful_are_named() -> None:
    c = contacts()
    result = BidetaRegressor(targets=COLUMNS).fit(c.support, c.values).infer(c.queries)
    width = result.upper - result.lower
    limit = float(np.median(width[:, 0]))
    wide = result.too_wide({"depth_mm": limit})
    np.testing.assert_array_equal(wide, np.stack([width[:, 0] > limit, np.zeros(60, bool)], axis=1))
    np.testing.assert_array_equal(result.too_wide({"depth": limit}), wide)


def test_errors_of_angles_go_the_short_way_round() -> None:
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 360, 120)
    H = np.stack([np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))], 1) @ rng.normal(size=(2, 8))
    H += rng.normal(size=H.shape) / 20
    adapted = BidetaRegressor(["turn_deg"], {"turn_deg": 360}).fit((H[:60],), angle[:60, None])
    result = adapted.infer((H[60:],), 0.9)
    truth = angle[60:, None]
    assert ((result.value >= 0) & (result.value < 360)).all()
    assert np.abs(result.errors(truth)).max() < 60
    assert result.holds(truth).mean() > 0.75
    np.testing.assert_array_equal(result.holds(truth), result.holds(truth + 360))


@pytest.mark.parametrize(
    ("settings", "y", "message"),
    [
        ({"targets": ["depth_mm"]}, np.zeros((30, 2)), "expected 2 different names"),
        ({"targets": ["a", "a"]}, np.zeros((30, 2)), "expected 2 different names"),
        ({"periods": {"turn": 360}}, np.zeros(30), "periods names 'turn'"),
        ({"periods": {"y1": -1}}, np.zeros(30), r"periods\['y1'\]"),
        ({}, np.zeros(29), "disagree on the number of contacts: 30 and 29"),
        ({}, np.zeros((30, 1, 1)), "shape"),
        ({}, np.full(30, np.nan), "NaN"),
        ({}, None, "requires y"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(settings, y, message) -> None:
    with pytest.raises(ValueError, match=message):
        BidetaRegressor(**settings).fit(contacts().support, y)


def test_more_contacts_than_can_be_worked_on_are_refused() -> None:
    with pytest.raises(ValueError, match="4,001 labelled contacts, expected at most 4,000"):
        BidetaRegressor().fit(np.zeros((4001, 1)), np.zeros(4001))


def test_queries_and_coverage_are_checked() -> None:
    c = contacts()
    adapted = BidetaRegressor().fit(c.support, c.values)
    with pytest.raises(ValueError, match=r"\[8\] features, BidetaRegressor was fitted on \[8, 12\]"):
        adapted.predict(c.queries[:1])
    with pytest.raises(ValueError, match=r"coverage=1\.5"):
        adapted.predict_interval(c.queries, 1.5)


def test_one_file_answers_classes_and_quantities(tmp_path) -> None:
    e, c, path = episode(), contacts(), tmp_path / "both.bideta"
    classes, quantities = Bideta().fit(e.support, e.labels), BidetaRegressor().fit(c.support, c.values)
    sensor_file.save(classes.sensor(), path, quantities.sensor_)
    np.testing.assert_array_equal(Bideta.load(path).predict(e.queries), classes.predict(e.queries))
    np.testing.assert_array_equal(
        BidetaRegressor.load(path).predict(c.queries), quantities.predict(c.queries)
    )


def test_the_background_is_one_for_the_whole_file(tmp_path) -> None:
    e, c, path = episode(), contacts(), tmp_path / "both.bideta"
    picture = np.random.default_rng(0).integers(0, 256, (24, 32, 3), dtype=np.uint8)
    plain = BidetaRegressor().fit(c.support, c.values)
    quantities = BidetaRegressor().fit(c.support, c.values, background=picture)
    np.testing.assert_array_equal(quantities.predict(c.queries), plain.predict(c.queries))
    quantities.save(path)
    np.testing.assert_array_equal(BidetaRegressor.load(path).sensor_.background, picture)
    classes = Bideta().fit(e.support, e.labels)
    sensor_file.save(classes.sensor(), path, quantities.sensor_)
    np.testing.assert_array_equal(Bideta.load(path).sensor_.background, picture)
    classes.fit(e.support, e.labels, background=picture)
    sensor_file.save(classes.sensor(), path, plain.sensor_)
    np.testing.assert_array_equal(BidetaRegressor.load(path).sensor_.background, picture)
    with pytest.raises(ValueError, match="background has shape"):
        BidetaRegressor().fit(c.support, c.values, background=picture[..., 0])


def test_a_file_of_the_other_kind_says_so(tmp_path) -> None:
    e, c = episode(), contacts()
    Bideta().fit(e.support, e.labels).save(tmp_path / "classes.bideta")
    BidetaRegressor().fit(c.support, c.values).save(tmp_path / "quantities.bideta")
    with pytest.raises(artifact.ArtifactError, match="answers classes, not quantities"):
        BidetaRegressor.load(tmp_path / "classes.bideta")
    with pytest.raises(artifact.ArtifactError, match="answers quantities, not classes"):
        Bideta.load(tmp_path / "quantities.bideta")
    assert quantity_file.load_if_any(tmp_path / "classes.bideta") is None


def spoilt(header: dict, arrays: dict, change: str) -> None:
    section = header["quantities"]
    if change == "no targets":
        section["targets"] = []
    elif change == "same target":
        section["targets"] = section["targets"][:1] * 2
    elif change == "name":
        section["targets"][0]["name"] = 5
    elif change == "period":
        section["targets"][0]["period"] = -1.0
    elif change == "scales":
        section["scales"] = [0.0, 4.0]
    elif change == "more scales":
        section["scales"] = [4.0] * 3
    elif change == "many scales":
        section["scales"] = [4.0] * 65
    elif change == "many contacts":
        for name in list(arrays):
            arrays[name] = np.tile(arrays[name], (200, 1))
    elif change == "section":
        header["quantities"] = [1]
    elif change == "NaN":
        arrays["quantities.values"] = arrays["quantities.values"] * np.nan
    elif change == "text":
        arrays["quantities.values"] = arrays["quantities.values"].astype(np.int64)
    elif change == "rows":
        arrays["quantities.support1"] = arrays["quantities.support1"][:-1]
    elif change == "flat":
        arrays["quantities.support1"] = arrays["quantities.support1"][:, 0]
    elif change == "background":
        arrays["background"] = np.zeros((321, 4, 3), np.uint8)
    elif change == "presses":
        arrays["quantities.presses"] = np.zeros(3, np.int64)
    else:
        del arrays["quantities.values"]


CHANGES = (
    "no targets",
    "same target",
    "name",
    "period",
    "scales",
    "more scales",
    "section",
    "NaN",
    "text",
    "rows",
)


@pytest.mark.parametrize(
    "change", [*CHANGES, "many scales", "many contacts", "flat", "presses", "missing", "background"]
)
def test_a_changed_file_is_refused(tmp_path, change) -> None:
    c, path = contacts(), tmp_path / "a.bideta"
    BidetaRegressor().fit(c.support, c.values).save(path)
    header, arrays = artifact.read(path)
    spoilt(header, arrays, change)
    artifact.write(path, header, arrays)
    with pytest.raises(artifact.ArtifactError, match="incompatible bideta, or changed"):
        BidetaRegressor.load(path)


def test_importing_bideta_does_not_import_scikit_learn() -> None:
    code = "import sys, bideta, bideta.quantity_sensor; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("value", [1e308, -1e308])
def test_values_that_cannot_be_computed_with_are_refused_in_a_fit_and_in_a_file(tmp_path, value) -> None:
    c = contacts()
    BidetaRegressor().fit(c.support, c.values).save(tmp_path / "a.bideta")
    header, arrays = artifact.read(tmp_path / "a.bideta")
    values = c.values.copy()
    values[3, 1] = value
    with pytest.raises(ValueError, match=r"y holds -?1e\+308, expected values up to 1e\+100"):
        BidetaRegressor().fit(c.support, values)
    artifact.write(tmp_path / "a.bideta", header, {**arrays, "quantities.values": values})
    with pytest.raises(artifact.ArtifactError, match=r"a\.bideta was written by .*y holds -?1e\+308"):
        BidetaRegressor.load(tmp_path / "a.bideta")


def test_the_largest_values_are_answered() -> None:
    c = contacts()
    usual, large = (
        BidetaRegressor().fit(c.support, unit * c.values).infer(c.queries) for unit in (1.0, 5e98)
    )
    np.testing.assert_allclose(large.value / 5e98, usual.value, rtol=1e-6)
    np.testing.assert_allclose(large.upper / 5e98, usual.upper, rtol=1e-6)
