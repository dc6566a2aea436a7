from __future__ import annotations

import multiprocessing
from pathlib import Path

import numpy as np
import pytest

from bideta.datasets.simulated import rendered
from bideta.plugins import load_dataset

SETTINGS = {"scale": 0.01, "size": 16}


def images(cache: Path | None, **settings) -> np.ndarray:
    return (
        load_dataset("simulated-sitr", cache=cache, **{**SETTINGS, **settings})
        .frames("Hex", "test")
        .images[:]
    )


def files(cache: Path) -> list[Path]:
    return sorted(cache.iterdir())


def test_cached_pictures_equal_rendered_ones_and_are_read_the_second_time(tmp_path, monkeypatch):
    fresh = images(None)
    np.testing.assert_array_equal(images(tmp_path), fresh)
    assert len(files(tmp_path)) == 1
    monkeypatch.setattr(rendered, "render", None)  # rendering again would fail
    np.testing.assert_array_equal(images(tmp_path), fresh)


def test_nothing_is_written_before_pictures_are_used(tmp_path):
    load_dataset("simulated-sitr", cache=tmp_path, **SETTINGS).frames("Hex", "test")
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    "change",
    [{"seed": 1}, {"size": 18}, {"difficulty": "hard"}, {"scale": 0.02}],
    ids=lambda c: next(iter(c)),
)
def test_everything_that_changes_pixels_changes_the_key(tmp_path, change):
    images(tmp_path)
    images(tmp_path, **change)
    assert len(files(tmp_path)) == 2


def test_a_changed_simulator_changes_the_key(tmp_path, monkeypatch):
    images(tmp_path)
    monkeypatch.setattr(rendered, "_code", lambda: "another renderer")
    images(tmp_path)
    assert len(files(tmp_path)) == 2


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "foreign", "digest"])
def test_a_damaged_file_is_noticed_and_rendered_again(tmp_path, damage):
    fresh = images(tmp_path).copy()
    (path,) = files(tmp_path)
    data = bytearray(path.read_bytes())
    if damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "flip":
        data[len(data) // 2] ^= 1
    elif damage == "empty":
        data = bytearray()
    elif damage == "foreign":
        data = bytearray(b"this is not an array")
    else:
        data[-1] ^= 1
    path.write_bytes(data)
    np.testing.assert_array_equal(images(tmp_path), fresh)
    assert rendered.read_checked(path, fresh.shape) is not None


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(rendered.os, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        images(tmp_path)
    assert files(tmp_path) == []


def _worker(cache: str, queue: multiprocessing.Queue) -> None:
    queue.put(int(images(Path(cache)).astype(np.int64).sum()))


def test_two_writers_at_once_leave_one_good_file(tmp_path):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [context.Process(target=_worker, args=(str(tmp_path), queue)) for _ in range(2)]
    for worker in workers:
        worker.start()
    sums = [queue.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    assert sums[0] == sums[1] == int(images(None).astype(np.int64).sum())
    (path,) = files(tmp_path)
    assert rendered.read_checked(path, (32, 16, 16, 3)) is not None


def test_streamed_batches_are_the_same_pictures(monkeypatch):
    recording = load_dataset("simulated-sitr", **SETTINGS).recording("DIGIT", "train")
    monkeypatch.setattr(rendered, "BATCH", 7)
    np.testing.assert_array_equal(np.concatenate(list(recording.stream())), recording[:])
