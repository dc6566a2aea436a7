from __future__ import annotations

import threading

import numpy as np
import pytest
from PIL import Image

from bideta.datasets import Frames
from bideta.encoders import EncoderInfo
from bideta.images.lazy import Chosen, ImageFiles
from bideta.images.reading import ImageError
from bideta.plugins import load_encoder
from bideta.service.encoding import encode_files, encode_frames, encode_one, encode_pictures, mean_colour
from support.releases import CountingEncoder


def test_broken_files_are_named_and_the_others_encoded_in_order(tmp_path):
    paths = [tmp_path / f"{i}.png" for i in range(10)]
    for i, path in enumerate(paths):
        Image.new("RGB", (4 + i, 4), (i, 0, 0)).save(path)
    paths[3].write_bytes(b"broken")
    paths[9].unlink()
    steps = []
    encoded = encode_files(CountingEncoder(), paths, 4, lambda done, total: steps.append((done, total)))
    assert encoded.rows.tolist() == [0, 1, 2, 4, 5, 6, 7, 8]
    np.testing.assert_array_equal(encoded.readouts[0][:, 0], encoded.rows)
    assert list(encoded.broken) == [3, 9]
    assert "3.png" in encoded.broken[3]
    assert steps == [(4, 10), (8, 10), (10, 10)]
    assert encoded.colour == (encoded.rows.mean(), 0, 0)


def test_nothing_readable_is_an_error(tmp_path):
    with pytest.raises(
        ImageError, match=r"none of the 1 images can be read; the first: cannot read .*x\.png"
    ):
        encode_files(CountingEncoder(), [tmp_path / "x.png"])


def test_only_one_batch_of_pictures_is_held_at_a_time(tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")

    class Watching(CountingEncoder):
        most = 0

        def encode(self, images, previous=None, batch_size=64):
            self.most = max(self.most, len(images))
            return super().encode(images, previous, batch_size)

    encoder = Watching()
    encode_files(encoder, [tmp_path / "a.png"] * 100, 16)
    assert (encoder.most, encoder.seen) == (16, 100)


def test_readouts_do_not_depend_on_how_uploads_were_grouped():
    encoder = load_encoder("twin-tvl", threads=1)
    frames = [np.random.default_rng(i).integers(0, 255, (20, 24, 3), dtype=np.uint8) for i in range(7)]
    together = encode_pictures(encoder, frames)
    for sizes in ([1] * 7, [1, 6], [3, 4]):
        parts, start = [], 0
        for size in sizes:
            parts.append(encode_pictures(encoder, frames[start : start + size]))
            start += size
        for v in range(2):
            np.testing.assert_array_equal(np.concatenate([part[v] for part in parts]), together[v])


class Three:
    """An encoder of three readouts; a picture's first pixel says which one it is."""

    def __init__(self, channels=3):
        self.info = EncoderInfo("three", "three readouts", 4, channels, (1, 2, 3))
        self.fingerprint = "three"
        self.batches = []

    def encode(self, images, previous=None, batch_size=64):
        self.batches.append(len(images))
        both = [
            np.concatenate([part[start : start + batch_size] for start in range(0, len(part), batch_size)])
            for part in (images if isinstance(images, Chosen) else np.array(images), previous)
            if part is not None
        ]
        value = sum(part[:, 0, 0, 0].astype(np.float32) * 100**i for i, part in enumerate(both))
        return tuple(np.repeat(value[:, None], width, axis=1) for width in self.info.readouts)


def pictures(count):
    return np.arange(count, dtype=np.uint8)[:, None, None, None] * np.ones((1, 4, 4, 3), np.uint8)


def test_every_way_gives_as_many_readouts_as_the_encoder(tmp_path):
    frames = Frames(pictures(9), np.zeros(9, np.int64), [""] * 9, np.arange(9))
    paths = [tmp_path / f"{i}.png" for i in range(9)]
    for path, pixels in zip(paths, frames.images, strict=True):
        Image.fromarray(pixels).save(path)
    for readouts in (
        encode_files(Three(), paths, 4).readouts,
        encode_pictures(Three(), list(frames.images)),
        encode_frames(Three(), frames, np.arange(9), 4),
        encode_frames(Three(), frames, np.arange(9)),
        tuple(
            np.stack(H) for H in zip(*(encode_one(Three(), image) for image in frames.images), strict=True)
        ),
    ):
        assert [H.shape for H in readouts] == [(9, 1), (9, 2), (9, 3)]
        assert readouts[2][:, 0].tolist() == list(range(9))


@pytest.mark.parametrize("rows", [np.arange(2, 7), np.arange(0, 9, 3), np.array([8, 1, 1, 0])])
def test_rows_of_a_dataset_are_encoded_in_their_order_with_the_frames_before_them(rows):
    frames = Frames(pictures(9), np.zeros(9, np.int64), [""] * 9, np.arange(9), pictures(9)[::-1])
    assert encode_frames(Three(), frames, rows, 2)[0][:, 0].tolist() == list(rows)
    two_frames = encode_frames(Three(channels=6), frames, rows, 2)[0][:, 0]
    assert two_frames.tolist() == [row + 100 * (8 - row) for row in rows]


def test_the_frame_before_is_for_encoders_that_stack_two():
    now, before = pictures(3)[[2, 1]]
    assert encode_one(Three(), now, before)[0] == [2]
    assert encode_one(Three(channels=6), now, before)[0] == [102]
    assert encode_one(Three(channels=6), now)[0] == [2]


@pytest.mark.parametrize("count", [1, 5, 9])
def test_frames_in_files_are_read_ahead_with_the_same_readouts(tmp_path, count):
    stack = np.random.default_rng(0).integers(0, 256, (9, 20, 24, 3), dtype=np.uint8)
    paths = [tmp_path / f"{i}.png" for i in range(9)]
    for path, pixels in zip(paths, stack, strict=True):
        Image.fromarray(pixels).save(path)
    rows = np.random.default_rng(1).permutation(9)[:count]
    for name in ("twin-tvl", "twin-sparsh"):
        encoder = load_encoder(name, threads=1)
        labels = np.zeros(9, np.int64)
        files = Frames(ImageFiles(paths), labels, [""] * 9, np.arange(9), ImageFiles(paths[::-1]))
        arrays = Frames(stack, labels, [""] * 9, np.arange(9), stack[::-1])
        for ours, expected in zip(
            encode_frames(encoder, files, rows, 4), encode_frames(encoder, arrays, rows, 4), strict=True
        ):
            np.testing.assert_array_equal(ours, expected)
    assert [H.shape for H in encode_frames(encoder, files, rows[:0])] == [
        (0, width) for width in encoder.info.readouts
    ]


def test_a_broken_file_of_a_dataset_is_one_error_that_names_it(tmp_path):
    paths = [tmp_path / f"{i}.png" for i in range(6)]
    for path in paths:
        Image.new("RGB", (4, 4)).save(path)
    paths[4].write_bytes(b"broken")
    frames = Frames(ImageFiles(paths), np.zeros(6, np.int64), [""] * 6, np.arange(6))
    with pytest.raises(ImageError, match=r"4\.png"):
        encode_frames(CountingEncoder(), frames, np.arange(6), 2)


def test_readouts_of_files_are_those_of_their_pictures_to_the_bit(tmp_path):
    pictures = [np.random.default_rng(i).integers(0, 256, (30 + i, 40, 3), dtype=np.uint8) for i in range(11)]
    paths = [tmp_path / f"{i}.png" for i in range(11)]
    for path, pixels in zip(paths, pictures, strict=True):
        Image.fromarray(pixels).save(path)
    encoder = load_encoder("handmade+twin-tvl", threads=1)
    for batch_size in (4, 5, 64):
        encoded = encode_files(encoder, paths, batch_size)
        for ours, expected in zip(encoded.readouts, encoder.encode(pictures), strict=True):
            np.testing.assert_array_equal(ours, expected)


def test_an_encoder_that_fails_ends_the_reading(tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")

    class Failing(CountingEncoder):
        def encode(self, images, previous=None, batch_size=64):
            raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        encode_files(Failing(), [tmp_path / "a.png"] * 100, 16)
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("ahead-")]


def test_the_mean_colour_is_the_mean_to_the_bit() -> None:
    rng = np.random.default_rng(0)
    for shape in ((1, 1, 3), (480, 641, 3), (7, 5, 3)):
        picture = rng.integers(0, 256, shape, dtype=np.uint8)
        np.testing.assert_array_equal(mean_colour(picture), picture.mean(axis=(0, 1)))
        np.testing.assert_array_equal(mean_colour(picture.astype(float)), picture.mean(axis=(0, 1)))
    assert mean_colour([1.0, 2.0]) == 0.0
