"""The bytes of a saved sensor: no pickle, whole or not at all, and a reason for every refusal."""

from __future__ import annotations

import json
import os
import pickle

import numpy as np
import pytest
import safetensors.numpy

from bideta import Bideta, artifact
from bideta.artifact import ArtifactError
from support.sensor_shift import episode


@pytest.fixture
def saved(tmp_path):
    e = episode()
    adapted = Bideta(n_neighbors=7).fit(e.support, e.labels)
    adapted.save(tmp_path / "hex.bideta")
    return e, adapted, tmp_path / "hex.bideta"


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


@pytest.mark.parametrize(
    ("content", "looks"),
    [
        (b"path,label\na.png,bolt\n", "text, such as a table"),
        ("Größe,Prüfling\n".encode(), "text, such as a table"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "a JPEG picture"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a PNG picture"),
        (b"PK\x03\x04\x14\x00\x00\x00\x08", "a zip or numpy archive"),
        (pickle.dumps({"a": 1}), "another file"),
    ],
)
def test_a_file_of_another_kind_is_called_so(tmp_path, content, looks) -> None:
    path = tmp_path / "given"
    path.write_bytes(content)
    with pytest.raises(
        ArtifactError, match=f"looks like {looks}: expected a file that bideta adapt"
    ) as raised:
        Bideta.load(path)
    assert "bytes" not in str(raised.value)


def test_a_newer_format_is_refused_with_advice(saved, monkeypatch) -> None:
    _, adapted, path = saved
    monkeypatch.setattr(artifact, "FORMAT_VERSION", 2)
    adapted.save(path)
    monkeypatch.undo()
    with pytest.raises(ArtifactError, match="has artifact format 2, this bideta reads format 1; upgrade"):
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


def test_the_header_is_readable_json(saved) -> None:
    _, _, path = saved
    with safetensors.safe_open(path, framework="np") as stream:
        header = json.loads(stream.metadata()["bideta"])["header"]
    assert header["parameters"]["n_neighbors"] == 7
    assert header["classes"] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"format": 1, "sha256": "", "header": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        (
            '{"format": 1, "sha256": "", "header": ' + '{"a":' * 60 + "1" + "}" * 60 + "}",
            "nested more than 50",
        ),
        ('{"format": 1, "sha256": "", "header": {"a": NaN}}', "NaN in its header"),
        ('{"format": 1, "sha256": "", "header": {"a": 1e999}}', "Out of range"),
        ('{"format": 1, "sha256": "", "header": []}', "no table"),
        ("[]", "damaged"),
    ],
    ids=["endless", "deep", "nan", "infinity", "list", "no envelope"],
)
def test_headers_that_write_does_not_make_are_refused(tmp_path, text, reason) -> None:
    path = tmp_path / "x.bideta"
    safetensors.numpy.save_file({"a": np.zeros(3)}, path, metadata={"bideta": text})
    with pytest.raises(ArtifactError, match=rf"x\.bideta.*{reason}"):
        artifact.read(path)


def test_an_endless_header_is_refused_before_it_is_read(tmp_path) -> None:
    path = tmp_path / "x.bideta"
    path.write_bytes((90_000_000).to_bytes(8, "little") + b'{"')
    with pytest.raises(ArtifactError, match="a header of 90,000,000 bytes"):
        artifact.read(path)
