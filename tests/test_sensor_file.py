"""What a file keeps of a sensor, and files of version 0.1. Their bytes: test_artifact.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bideta import Bideta, artifact, presets
from bideta.artifact import ArtifactError
from bideta.deploy import OnlineBideta, hold_out
from bideta.images.looks import WIDTH, sketches
from support.sensor_shift import episode

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def saved(tmp_path):
    e = episode()
    adapted = Bideta(n_neighbors=7).fit(e.support, e.labels)
    adapted.save(tmp_path / "hex.bideta")
    return e, adapted, tmp_path / "hex.bideta"


@pytest.mark.parametrize(
    ("parameters", "names", "dtype"),
    [
        ({}, ["bolt", "coin", "key", "nut", "pin"], np.float64),
        (presets.RANKING, [5, 4, 3, 2, 1], np.float32),
        (
            {"prior": np.array([0.3, 0.3, 0.2, 0.1, 0.1])},
            [("a", 1), ("a", 2), ("b", None), ("b", 1.5), ("c", True)],
            float,
        ),
        (
            {"prior": None, "gamma": 0.0, "shrinkage": np.float64(0.1)},
            [("y",), True, 1.5, 2.5, (1, "x")],
            float,
        ),
        ({"prior": [1.0, 0, 0, 0, 0], "n_neighbors": np.int64(3)}, ["ä", "触", "🤖", "a\nb", ""], float),
    ],
    ids=["strings", "numbers", "tuples", "mixed", "unicode"],
)
def test_a_loaded_sensor_gives_the_same_answers(tmp_path, parameters, names, dtype) -> None:
    e = episode()
    support, queries = (tuple(H.astype(dtype) for H in views) for views in (e.support, e.queries))
    adapted = Bideta(**parameters).fit(support, [names[c] for c in e.labels])
    adapted.save(tmp_path / "a.bideta")
    loaded = Bideta.load(tmp_path / "a.bideta")
    np.testing.assert_array_equal(loaded.predict_proba(queries), adapted.predict_proba(queries))
    assert loaded.classes_.tolist() == adapted.classes_.tolist()
    assert loaded.classes_.dtype == adapted.classes_.dtype
    assert loaded.predict(queries).tolist() == adapted.predict(queries).tolist()


def test_single_readout_and_split_form_survive(tmp_path) -> None:
    e = episode()
    X, Xq = np.hstack(e.support), np.hstack(e.queries)
    for split in (None, 12):
        adapted = Bideta(split=split).fit(X, e.labels)
        adapted.save(tmp_path / "a.bideta")
        loaded = Bideta.load(tmp_path / "a.bideta")
        np.testing.assert_array_equal(loaded.predict_proba(Xq), adapted.predict_proba(Xq))


def test_one_shot_support_survives(tmp_path) -> None:
    e = episode(shots=1)
    adapted = Bideta().fit(e.support, e.labels)
    adapted.save(tmp_path / "a.bideta")
    np.testing.assert_array_equal(
        Bideta.load(tmp_path / "a.bideta").predict_proba(e.queries), adapted.predict_proba(e.queries)
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h["parameters"].update(surprise=1),
        lambda h: h["parameters"].update(r_max=1.5),
        lambda h: h.pop("classes"),
        lambda h: h["readouts"][0].pop("rest"),
        lambda h: h["readouts"].append(h["readouts"][0]),
        lambda h: h.update(classes=h["classes"][:-1]),
        lambda h: h.update(classes_dtype="nonsense"),
    ],
)
def test_a_well_formed_file_with_other_content_is_refused(saved, change) -> None:
    _, _, path = saved
    header, arrays = artifact.read(path)
    change(header)
    artifact.write(path, header, arrays)
    with pytest.raises(ArtifactError, match=r"hex\.bideta"):
        Bideta.load(path)


def test_arrays_of_the_wrong_shape_are_refused(saved) -> None:
    _, _, path = saved
    header, arrays = artifact.read(path)
    for name in arrays:
        artifact.write(path, header, {**arrays, name: arrays[name][..., :-1]})
        with pytest.raises(ArtifactError, match=r"hex\.bideta"):
            Bideta.load(path)


def test_a_class_name_that_json_cannot_hold_is_refused(tmp_path) -> None:
    e = episode()
    adapted = Bideta().fit(e.support, [frozenset({int(c)}) for c in e.labels])
    with pytest.raises(TypeError, match="cannot be saved; use strings"):
        adapted.save(tmp_path / "a.bideta")
    assert not list(tmp_path.iterdir())


def test_saving_an_unfitted_estimator_says_so(tmp_path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        Bideta().save(tmp_path / "a.bideta")


def test_a_file_without_its_labelled_contacts_says_what_to_do(tmp_path) -> None:
    e = episode()
    path = tmp_path / "old.bideta"
    Bideta().fit(e.support, e.labels).save(path)
    header, arrays = artifact.read(path)
    artifact.write(path, header, {k: v for k, v in arrays.items() if not k.startswith("support")})
    with pytest.raises(
        artifact.ArtifactError, match=r"old\.bideta does not hold its labelled contacts.*adapt and save"
    ):
        Bideta.load(path)


def test_a_file_that_says_what_no_readouts_weigh_is_refused(tmp_path) -> None:
    e = episode(dims=(12, 18, 7))
    path = tmp_path / "hex.bideta"
    Bideta(alpha=[0.2, 0.5, 0.3]).fit(e.support, e.labels).save(path)
    header, arrays = artifact.read(path)
    for alpha in ([0.5, 0.5], [0.5, 0.5, 0.5], 0.3):
        header["parameters"]["alpha"] = alpha
        artifact.write(path, header, arrays)
        with pytest.raises(ArtifactError, match=r"hex\.bideta .*alpha"):
            Bideta.load(path)


@pytest.fixture(params=["robot", "paper"])
def golden(request):
    """A sensor that version 0.1 wrote, contacts of it, and what version 0.1 said about them (golden/make.py)."""
    path = GOLDEN / f"version-0.1-{request.param}.bideta"
    with np.load(path.with_suffix(".npz")) as answers:
        return path, dict(answers)


def test_a_file_of_version_0_1_is_loaded_and_answers_as_it_did(golden) -> None:
    path, said = golden
    adapted, queries = Bideta.load(path), (said["h1"], said["h2"])
    result = adapted.infer(queries)
    for part in ("anchor", "gate", "proba"):
        np.testing.assert_allclose(getattr(result, part), said[part], rtol=0, atol=1e-12)
    assert adapted.predict(queries).tolist() == said["labels"].tolist()
    held = tuple(H[said["one_class"]] for H in queries)
    np.testing.assert_allclose(adapted.predict_proba(held), said["proba_of_one_class"], rtol=0, atol=1e-12)
    one = tuple(H[:1] for H in queries)
    np.testing.assert_allclose(adapted.predict_proba(one), said["proba_of_one_contact"], rtol=0, atol=1e-12)


def test_a_file_of_version_0_1_keeps_its_classes_settings_and_presses(golden) -> None:
    path, _ = golden
    adapted = Bideta.load(path)
    robot = "robot" in path.name
    assert adapted.classes_.tolist() == ["bolt", "coin", "key", "nut"]
    assert adapted.classes_.dtype.kind == "U"
    assert adapted.sensor_.widths == [5, 7]
    assert len(adapted.sensor_.labels) == 36
    assert len(set(adapted.sensor_.presses.tolist())) == (12 if robot else 36)
    settings = {**Bideta().get_params(), **(presets.ROBOT if robot else {}), "n_neighbors": 7 if robot else 9}
    if not robot:
        settings["prior"] = [0.4, 0.3, 0.2, 0.1]
    assert adapted.get_params() == settings
    assert (adapted.sensor_.rule is not None) == robot


def test_a_file_of_version_0_1_is_written_again_with_the_same_content(golden, tmp_path) -> None:
    path, _ = golden
    Bideta.load(path).save(tmp_path / "again.bideta")
    header, arrays = artifact.read(path)
    again_header, again = artifact.read(tmp_path / "again.bideta")
    assert again_header["parameters"] == {
        **header["parameters"],
        "second_pass": False,
        "label_spread": 0.0,
    }  # what came later is off
    assert {**again_header, "parameters": {}} == {**header, "parameters": {}}
    assert again.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(again[name], array)
        assert again[name].dtype == array.dtype


def test_a_sensor_of_version_0_1_learns_and_is_tested_on_what_it_was_taught(golden) -> None:
    path, said = golden
    adapted, queries = Bideta.load(path), (said["h1"], said["h2"])
    online = OnlineBideta(adapted, window=8)
    online.learn_one(tuple(H[0] for H in queries), said["labels"][0])
    assert len(online.current().sensor_.labels) == 37
    assert hold_out(adapted, queries).right.mean() > 0.5  # of four classes


def test_a_file_does_not_start_processes(tmp_path, saved) -> None:
    _, adapted, path = saved
    header, arrays = artifact.read(path)
    header["parameters"]["n_jobs"] = 6  # as an earlier bideta wrote it, or as somebody likes it
    artifact.write(path, header, arrays)
    header["parameters"]["neighbors"] = "approximate"
    artifact.write(path, header, arrays)
    assert (Bideta.load(path).n_jobs, Bideta.load(path).neighbors) == (None, "auto")
    adapted.set_params(n_jobs=2).save(path)
    assert artifact.read(path)[0]["parameters"]["n_jobs"] is None


def altered(name: str, value: float):
    """A change of one number of an array."""

    def change(header, arrays):
        arrays[name].flat[0] = value

    return change


def stated(key: str, value: object):
    """A change of one entry of the header; ``a.b`` is b inside a."""

    def change(header, arrays):
        *above, last = key.split(".")
        for part in above:
            header = header[int(part) if part.isdigit() else part]
        header[last] = value

    return change


HOSTILE = [
    (altered("readout1.coefficients", np.nan), "NaN or infinity"),
    (altered("readout1.intercepts", np.inf), "NaN or infinity"),
    (altered("readout2.coefficients", 1e300), "beyond 1e"),
    (altered("readout1.scale", 0.0), "not above zero"),
    (altered("readout1.values", -1.0), "no variances"),
    (altered("readout1.mean", 1e300), "not those of its labelled contacts"),
    (altered("support1", np.inf), "NaN or infinity"),
    (altered("support_labels", 2**40), "do not show each"),
    (altered("support_labels", -1), "do not show each"),
    (altered("prior", 0.9), "sum to one"),
    (stated("parameters.n_iter", 10**9), "n_iter=1000000000"),
    (stated("parameters.n_neighbors", 10**9), "n_neighbors=1000000000"),
    (stated("parameters.gamma", "0.6"), "gamma='0.6'"),
    (stated("parameters.unknown", 1), "unexpected keyword"),
    (stated("parameters.prior", None), "does not go with"),
    (stated("parameters.prior", "auto"), "does not go with"),
    (stated("temperature", 1.0), "with a temperature"),
    (stated("classes_dtype", "<U500000000"), "not of classes_dtype"),
    (stated("classes", [10**30, 1, 2, 3, 4]), "out of bounds|too large"),
    (stated("classes", [0, 0, 1, 2, 3]), "same name"),
    (stated("classes", [{"tuple": 3}, 1, 2, 3, 4]), "not of classes_dtype"),
    (stated("readouts.0.mean_variance", "x"), "mean_variance='x'"),
    (stated("readouts.0.rest", -1), "rest=-1"),
    (stated("readouts", []), "0 readouts"),
    (stated("n_features_in", 29), "29 declared"),
    (stated("origin", []), "expected a dict"),
    (stated("earlier", -1), "earlier=-1"),
    (stated("earlier", 10**6), "earlier=1000000: expected an integer >= 0 and <= "),
]


@pytest.mark.parametrize(("change", "reason"), HOSTILE)
def test_a_changed_file_with_a_right_checksum_is_refused(saved, change, reason) -> None:
    _, _, path = saved
    header, arrays = artifact.read(path)
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    artifact.write(path, header, arrays)
    with pytest.raises(
        ArtifactError, match=rf"hex\.bideta was written by an incompatible bideta.*({reason})"
    ):
        Bideta.load(path)


def test_wide_names_are_refused_before_they_are_allocated(saved) -> None:
    _, _, path = saved
    header, arrays = artifact.read(path)
    header["classes"], header["classes_dtype"] = list("abcde"), "<U500000000"
    artifact.write(path, header, arrays)
    with pytest.raises(ArtifactError, match="more than 100,000,000 bytes"):
        Bideta.load(path)


def test_arrays_of_another_kind_are_refused(saved) -> None:
    _, _, path = saved
    header, arrays = artifact.read(path)
    for name, array in arrays.items():
        for kind in ("f2", "i1", "u8", "?"):
            with np.errstate(all="ignore"):
                artifact.write(path, header, {**arrays, name: array.astype(kind)})
            with pytest.raises(ArtifactError, match="dtype"):
                Bideta.load(path)


def test_a_sensor_that_no_file_may_hold_is_not_saved(saved) -> None:
    _, adapted, path = saved
    with pytest.raises(ValueError, match=r"n_iter=20000: expected an integer >= 0 and <= 10000"):
        adapted.set_params(n_iter=20_000).save(path)


def test_a_background_is_kept_to_the_pixel_and_changes_no_answer(tmp_path) -> None:
    e = episode()
    picture = np.random.default_rng(0).integers(0, 256, (240, 320, 3), dtype=np.uint8)
    plain = Bideta(**presets.TOUCH).fit(e.support, e.labels)
    adapted = Bideta(**presets.TOUCH).fit(e.support, e.labels, background=picture)
    adapted.save(tmp_path / "a.bideta")
    loaded = Bideta.load(tmp_path / "a.bideta")
    np.testing.assert_array_equal(loaded.sensor_.background, picture)
    for one in (adapted, loaded):
        np.testing.assert_array_equal(one.predict_proba(e.queries), plain.predict_proba(e.queries))
    loaded.save(tmp_path / "b.bideta")
    assert (tmp_path / "a.bideta").read_bytes() == (tmp_path / "b.bideta").read_bytes()
    online = OnlineBideta(loaded)
    online.learn_one(tuple(Q[0] for Q in e.queries), e.truth[0])
    np.testing.assert_array_equal(online.current().sensor_.background, picture)


def test_a_sensor_without_a_background_is_the_file_that_it_was(saved) -> None:
    _, adapted, path = saved
    assert "background" not in artifact.read(path)[1]
    assert adapted.sensor_.background is None
    large = Bideta().fit(*_one(), background=np.zeros((480, 640, 3), np.uint8))
    assert large.sensor_.background.shape == (240, 320, 3)
    with pytest.raises(ValueError, match="background has shape"):
        Bideta().fit(*_one(), background=np.zeros((4, 4)))


def _one():
    e = episode(shots=1)
    return e.support, e.labels


@pytest.mark.parametrize(
    "background",
    [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((400, 4, 3), np.uint8)],
    ids=["grey", "floats", "large"],
)
def test_a_file_with_something_else_for_a_background_is_refused(saved, background) -> None:
    _, _, path = saved
    header, arrays = artifact.read(path)
    artifact.write(path, header, {**arrays, "background": background})
    with pytest.raises(ArtifactError, match="background"):
        Bideta.load(path)


def test_the_look_of_the_labelled_pictures_is_kept(tmp_path) -> None:
    e = episode()
    seen = sketches(np.random.default_rng(0).integers(90, 110, (len(e.labels), 24, 32, 3), dtype=np.uint8))
    adapted = Bideta().fit(e.support, e.labels, sketches=seen)
    adapted.save(tmp_path / "a.bideta")
    loaded = Bideta.load(tmp_path / "a.bideta")
    assert adapted.infer(e.queries, seen[:3]).check == loaded.infer(e.queries, seen[:3]).check
    assert loaded.infer(e.queries, seen[:3]).check.level == "fine"
    dark = sketches(np.zeros((3, 24, 32, 3), np.uint8))
    assert loaded.infer(e.queries, dark).check.level == "foreign"
    assert loaded.infer(e.queries).check is None


def test_a_file_without_a_look_loads_and_cannot_tell(saved) -> None:
    e, _, path = saved
    loaded = Bideta.load(path)
    assert loaded.sensor_.look is None
    assert loaded.infer(e.queries, np.zeros((1, WIDTH))).check.level == "unknown"


@pytest.mark.parametrize("name", ["look.mean", "look.spread", "look.hidden", "look.touch", "look.facts"])
def test_a_hostile_look_is_refused(saved, name) -> None:
    e, _, path = saved
    Bideta().fit(e.support, e.labels, sketches=np.ones((len(e.labels), WIDTH))).save(path)
    header, arrays = artifact.read(path)
    for hostile in ({**arrays, name: np.full_like(arrays[name], np.nan)}, {**arrays, name: np.zeros(99999)}):
        artifact.write(path, header, hostile)
        with pytest.raises(ArtifactError, match="look"):
            Bideta.load(path)
    artifact.write(path, header, {key: array for key, array in arrays.items() if key != name})
    with pytest.raises(ArtifactError, match="incompatible"):
        Bideta.load(path)
