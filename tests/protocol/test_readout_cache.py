from __future__ import annotations

import multiprocessing
import os
import signal
import time
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file

from bideta.datasets import Frames
from bideta.protocol import shards
from bideta.protocol.readout_cache import describe, key, read_or_encode
from support.releases import CountingEncoder

FORK = "ignore:.*fork.*:DeprecationWarning"


def make_frames(n=50, seed=0) -> Frames:
    images = np.random.default_rng(seed).integers(0, 256, (n, 6, 5, 3), np.uint8)
    numbers = np.arange(n)
    return Frames(images, numbers % 3, [str(i) for i in numbers], numbers)


def test_cached_readouts_equal_computed_ones_and_are_computed_once(tmp_path):
    frames, encoder = make_frames(), CountingEncoder()
    computed = read_or_encode(encoder, frames, chunk=8)
    first = read_or_encode(encoder, frames, tmp_path, chunk=8)
    assert encoder.seen == 100
    again = read_or_encode(encoder, frames, tmp_path, chunk=16)
    assert encoder.seen == 100
    for a, b, c in zip(computed, first, again, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)
        assert isinstance(c, np.memmap)
        assert not c.flags.writeable
    (folder,) = tmp_path.iterdir()
    assert [path.name for path in folder.iterdir()] == ["features.safetensors"]


def test_the_file_is_plain_safetensors(tmp_path):
    read_or_encode(CountingEncoder(), make_frames(), tmp_path, chunk=7, title="tiny")
    stored = load_file(next(tmp_path.rglob("*.safetensors")))
    for name, expected in zip(
        ("readout1", "readout2"), read_or_encode(CountingEncoder(), make_frames()), strict=True
    ):
        np.testing.assert_array_equal(stored[name], expected)


def test_encoder_pictures_and_library_are_the_key(monkeypatch):
    frames = make_frames()
    own = key(describe(CountingEncoder(), frames))
    assert own == key(describe(CountingEncoder(), frames, "a title"))
    assert own != key(describe(CountingEncoder("other weights"), frames))
    assert own != key(describe(CountingEncoder(), make_frames(seed=1)))
    monkeypatch.setattr("bideta.protocol.readout_cache.version", lambda _: "99")
    assert own != key(describe(CountingEncoder(), frames))


def test_the_earlier_frame_matters_to_two_frame_encoders_only(tmp_path):
    frames = make_frames()
    paired = replace(frames, previous=frames.images[::-1].copy())
    assert key(describe(CountingEncoder(), frames)) == key(describe(CountingEncoder(), paired))
    six = CountingEncoder(channels=6)
    assert key(describe(six, frames)) != key(describe(six, paired))
    assert np.abs(read_or_encode(six, paired, tmp_path)[1]).max() > 0
    assert np.abs(read_or_encode(six, frames, tmp_path)[1]).max() == 0


def test_work_resumes_where_it_stopped(tmp_path):
    class Failing(CountingEncoder):
        def encode(self, *arguments, **settings):
            if self.seen >= 24:
                raise KeyboardInterrupt
            return super().encode(*arguments, **settings)

    with pytest.raises(KeyboardInterrupt):
        read_or_encode(Failing(), make_frames(), tmp_path, chunk=8)
    encoder = CountingEncoder()
    steps = []
    found = read_or_encode(
        encoder, make_frames(), tmp_path, chunk=8, step=lambda done, total: steps.append((done, total))
    )
    assert encoder.seen == 50 - 24
    assert steps[-1] == (50, 50)
    np.testing.assert_array_equal(found[0], read_or_encode(CountingEncoder(), make_frames())[0])


def test_damaged_files_are_computed_again(tmp_path):
    expected = read_or_encode(CountingEncoder(), make_frames(), tmp_path)[0].copy()
    path = next(tmp_path.rglob("features.safetensors"))
    for content in (b"", b"junk" * 100, path.read_bytes()[:-5]):
        path.write_bytes(content)
        np.testing.assert_array_equal(read_or_encode(CountingEncoder(), make_frames(), tmp_path)[0], expected)


@pytest.mark.parametrize("place", [0.0, 0.5, 0.999])
def test_a_flipped_bit_is_noticed_and_computed_again(tmp_path, monkeypatch, place):
    monkeypatch.setattr(shards, "BLOCK", 64)  # several blocks
    frames, encoder = make_frames(), CountingEncoder()
    expected = [H.copy() for H in read_or_encode(encoder, frames, tmp_path, chunk=16)]
    path = next(tmp_path.rglob("features.safetensors"))
    content = bytearray(path.read_bytes())
    begin = 8 + int.from_bytes(content[:8], "little")
    content[begin + int(place * (len(content) - begin))] ^= 1
    path.write_bytes(bytes(content))
    with pytest.warns(UserWarning, match="changed on the disk after it was written"):
        again = read_or_encode(encoder, frames, tmp_path, chunk=16)
    assert encoder.seen == 100
    for a, b in zip(expected, again, strict=True):
        np.testing.assert_array_equal(a, b)
    read_or_encode(encoder, frames, tmp_path, chunk=16)
    assert encoder.seen == 100


def test_a_changed_header_is_noticed(tmp_path):
    frames, encoder = make_frames(), CountingEncoder()
    read_or_encode(encoder, frames, tmp_path, chunk=16)
    path = next(tmp_path.rglob("features.safetensors"))
    content = path.read_bytes()
    assert content.count(b"[50, 3]") == 1
    path.write_bytes(content.replace(b"[50, 3]", b"[40, 3]"))
    assert len(read_or_encode(encoder, frames, tmp_path, chunk=16)[0]) == 50
    assert encoder.seen == 100


def test_a_damaged_shard_is_computed_again(tmp_path):
    shards.add(tmp_path, 0, 8, (np.ones((8, 3), np.float32), np.ones((8, 2), np.float32)))
    (shard,) = tmp_path.iterdir()
    content = bytearray(shard.read_bytes())
    content[-1] ^= 1
    shard.write_bytes(content)
    assert not shards.has(tmp_path, 0, 8)


def test_no_frames_give_empty_readouts(tmp_path):
    first, second = read_or_encode(CountingEncoder(), make_frames(0), tmp_path)
    assert (first.shape, second.shape) == ((0, 3), (0, 2))


def test_what_a_dead_writer_left_is_removed_after_a_day(tmp_path):
    read_or_encode(CountingEncoder(), make_frames(), tmp_path)
    (folder,) = tmp_path.iterdir()
    (folder / ".old").write_bytes(b"x")
    (folder / ".new").write_bytes(b"x")
    os.utime(folder / ".old", (0, 0))
    read_or_encode(CountingEncoder(), make_frames(), tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == [".new", "features.safetensors"]


class Slow(CountingEncoder):
    def encode(self, *arguments, **settings):
        time.sleep(0.002)
        return super().encode(*arguments, **settings)


@pytest.mark.filterwarnings(FORK)
def test_a_writer_killed_at_any_instant_leaves_a_usable_cache(tmp_path):
    frames, rng = make_frames(200), np.random.default_rng(0)
    expected = read_or_encode(CountingEncoder(), frames)
    start = multiprocessing.get_context("fork").Process
    for attempt in range(12):
        child = start(target=read_or_encode, args=(Slow(), frames, tmp_path), kwargs={"chunk": 4})
        child.start()
        time.sleep(rng.uniform(0, 0.25))
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        found = shards.read(tmp_path / key(describe(CountingEncoder(), frames)))
        if found is not None:
            np.testing.assert_array_equal(found[0], expected[0])
        if attempt % 4 == 3:  # and a later run goes on from there
            encoder = CountingEncoder()
            for a, b in zip(read_or_encode(encoder, frames, tmp_path, chunk=4), expected, strict=True):
                np.testing.assert_array_equal(a, b)
            next(tmp_path.rglob("features.safetensors")).unlink()


@pytest.mark.filterwarnings(FORK)
def test_writers_at_the_same_time_do_not_disturb_each_other(tmp_path):
    frames = make_frames(120)
    expected = read_or_encode(CountingEncoder(), frames)
    start = multiprocessing.get_context("fork").Process
    children = [
        start(target=read_or_encode, args=(Slow(), frames, tmp_path), kwargs={"chunk": 4}) for _ in range(3)
    ]
    for child in children:
        child.start()
    here = read_or_encode(Slow(), frames, tmp_path, chunk=4)
    for child in children:
        child.join()
        assert child.exitcode == 0
    for a, b in zip(here, expected, strict=True):
        np.testing.assert_array_equal(a, b)
