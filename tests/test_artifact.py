"""Saved sensors: same answers, no pickle, whole or not at all, and a reason for every refusal."""

from __future__ import annotations

import json
import os
import pickle

import numpy as np
import pytest
import safetensors.numpy

from bideta import Bideta, artifact, presets
from bideta.artifact import ArtifactError
from support.sensor_shift import episode


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
        ({"prior": None, "gamma": 0.0, "shrinkage": np.float64(0.1)}, [None, "x", 1, 2.5, ("y",)], float),
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


def test_saving_twice_writes_the_same_bytes(saved) -> None:
    _, adapted, path = saved
    before = path.read_bytes()
    adapted.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["hex.bideta"]  # no temporary file is left


def test_every_truncation_is_refused(saved) -> None:
    _, _, path = saved
    content = path.read_bytes()
    for length in np.linspace(0, len(content) - 1, 60).astype(int):
        path.write_bytes(content[:length])
        with pytest.raises(ArtifactError, match=r"hex\.bideta .*(damaged|truncated)"):
            Bideta.load(path)


def test_every_flipped_byte_is_refused(saved) -> None:
    _, _, path = saved
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for position in np.r_[0:40, rng.integers(0, len(content), 200)]:
        damaged = bytearray(content)
        damaged[position] ^= 1 << rng.integers(0, 8)
        path.write_bytes(bytes(damaged))
        with pytest.raises(ArtifactError, match=r"hex\.bideta"):
            Bideta.load(path)


def test_foreign_files_are_refused(tmp_path) -> None:
    path = tmp_path / "x.bideta"
    safetensors.numpy.save_file({"a": np.zeros(3)}, path)
    with pytest.raises(ArtifactError, match="not a bideta artifact"):
        Bideta.load(path)
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(ArtifactError, match="not a bideta artifact"):
        Bideta.load(path)
    path.write_text("hello")
    with pytest.raises(ArtifactError, match="not a bideta artifact"):
        Bideta.load(path)


def test_a_newer_format_is_refused_with_advice(saved, monkeypatch) -> None:
    _, adapted, path = saved
    monkeypatch.setattr(artifact, "FORMAT_VERSION", 2)
    adapted.save(path)
    monkeypatch.undo()
    with pytest.raises(ArtifactError, match="has artifact format 2, this bideta reads format 1; upgrade"):
        Bideta.load(path)


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


def test_missing_file_and_missing_folder_say_so(tmp_path, saved) -> None:
    _, adapted, _ = saved
    with pytest.raises(FileNotFoundError, match="no artifact at"):
        Bideta.load(tmp_path / "nothing.bideta")
    with pytest.raises(FileNotFoundError, match=r"folder .*nowhere does not exist"):
        adapted.save(tmp_path / "nowhere" / "a.bideta")


def test_a_failed_save_leaves_the_old_file(saved, monkeypatch) -> None:
    _, adapted, path = saved
    before = path.read_bytes()

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        adapted.set_params(n_neighbors=3).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["hex.bideta"]


def test_a_class_name_that_json_cannot_hold_is_refused(tmp_path) -> None:
    e = episode()
    adapted = Bideta().fit(e.support, [frozenset({int(c)}) for c in e.labels])
    with pytest.raises(TypeError, match="cannot be saved; use strings"):
        adapted.save(tmp_path / "a.bideta")
    assert not list(tmp_path.iterdir())


def test_the_header_is_readable_json(saved) -> None:
    _, _, path = saved
    with safetensors.safe_open(path, framework="np") as stream:
        header = json.loads(stream.metadata()["bideta"])["header"]
    assert header["parameters"]["n_neighbors"] == 7
    assert header["classes"] == [0, 1, 2, 3, 4]


def test_saving_an_unfitted_estimator_says_so(tmp_path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        Bideta().save(tmp_path / "a.bideta")
