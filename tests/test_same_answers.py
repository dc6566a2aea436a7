"""The comparison of two checkouts: what it records, what it notices, how far the walk is; no timing is asserted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.same import compare, record, shapes, speed, walk
from benchmarks.same.__main__ import main
from benchmarks.same.features import contacts

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("same") / "answers.npz"
    assert main(["record", str(path), "--only", "robot"]) == 0
    return path


def test_a_record_equals_itself_to_the_bit(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(recorded), str(recorded), "--brief"]) == 0
    said = capsys.readouterr().out
    assert "0 within 1e-12, 0 differ" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(("moved", "code"), [(1e-14, 0), (1e-9, 1)])
def test_a_difference_is_named(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], moved: float, code: int
) -> None:
    with np.load(recorded) as answers:
        changed = dict(answers)
    changed["robot/tune alone answers"] = changed["robot/tune alone answers"].copy()
    changed["robot/tune alone answers"][3, 1] += moved
    np.savez(tmp_path / "other.npz", **changed)
    assert compare.compare(recorded, tmp_path / "other.npz", brief=True) == code
    assert "robot/tune alone answers: largest difference" in capsys.readouterr().out


def test_a_missing_entry_is_a_difference(recorded: Path, tmp_path: Path) -> None:
    with np.load(recorded) as answers:
        rest = {name: answer for name, answer in answers.items() if name != "robot/tune alone answers"}
    np.savez(tmp_path / "less.npz", **rest)
    assert compare.compare(recorded, tmp_path / "less.npz", brief=True) == 1


@pytest.mark.parametrize("part", record.PARTS)
def test_every_part_has_entries(part: str) -> None:
    name, answer = next(record.PARTS[part]())
    assert name
    assert np.asarray(answer).dtype.kind in "fiubU"


def test_the_walk_counts_functions_and_not_what_stands_inside_them() -> None:
    data = contacts(0, m=12)
    from bideta import Bideta

    seen = walk.visited(lambda: Bideta().fit(data.support, data.labels))
    names = {name for functions in seen.functions.values() for name in functions}
    assert "Classifier.fit" in names
    assert not any("<lambda>" in name or "comp>" in name for name in names)
    assert 0 < seen.changes < seen.calls


def test_two_checkouts_take_turns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(speed, "ROUNDS", 1)
    monkeypatch.setattr(speed, "TURNS", 2)
    monkeypatch.setattr(speed, "BATCH", 0.01)
    (shape,) = (name for name in shapes.SHAPES if name == "fit classification n=160 d=32+48")
    speed.speed(ROOT, shape)
    assert f"ms  {shape}\n" in capsys.readouterr().out
