from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from bideta.images import background
from bideta.images.background import background_folder, median_picture, read_background, small
from bideta.images.reading import ImageError

RNG = np.random.default_rng(0)


def written(folder, pictures):
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for i, picture in enumerate(pictures):
        paths.append(folder / f"{i}.png")
        Image.fromarray(picture).save(paths[-1])
    return paths


def test_the_median_of_few_files_is_the_median_of_all_pixels(tmp_path):
    pictures = RNG.integers(0, 256, (5, 6, 8, 3), dtype=np.uint8)
    np.testing.assert_array_equal(median_picture(written(tmp_path, pictures)), np.median(pictures, axis=0))


def test_of_many_files_some_are_looked_at_first_and_last_among_them(tmp_path, monkeypatch):
    monkeypatch.setattr(background, "SAMPLE", 3)
    pictures = RNG.integers(0, 256, (9, 2, 2, 3), dtype=np.uint8)
    found = median_picture(written(tmp_path, pictures))
    np.testing.assert_array_equal(found, np.median(pictures[[0, 4, 8]], axis=0))


def test_files_that_cannot_be_read_are_left_out_and_other_sizes_are_brought_to_the_first(tmp_path):
    paths = written(tmp_path, [np.full((4, 4, 3), 10, np.uint8), np.full((8, 8, 3), 40, np.uint8)])
    paths.insert(1, tmp_path / "broken.png")
    paths[1].write_bytes(b"no picture")
    np.testing.assert_array_equal(median_picture(paths), np.full((4, 4, 3), 25))
    with pytest.raises(ImageError, match=r"background can be read; cannot read .*broken\.png"):
        median_picture(paths[1:2])
    with pytest.raises(ImageError, match="there are none"):
        median_picture([])


def test_a_background_is_small_and_keeps_its_shape():
    assert small(np.zeros((480, 640, 3), np.uint8)).shape == (240, 320, 3)
    assert small(np.zeros((1000, 2, 3), np.uint8)).shape == (320, 1, 3)
    picture = RNG.integers(0, 256, (320, 200, 3), dtype=np.uint8)
    assert small(picture) is picture
    for wrong in (np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8)):
        with pytest.raises(ValueError, match="background has shape"):
            small(wrong)


def test_a_background_is_a_picture_or_a_folder_of_them(tmp_path):
    pictures = RNG.integers(0, 256, (3, 4, 5, 3), dtype=np.uint8)
    paths = written(tmp_path / "background", pictures)
    np.testing.assert_array_equal(read_background(paths[0]), pictures[0])
    np.testing.assert_array_equal(read_background(tmp_path / "background"), np.median(pictures, axis=0))
    assert background_folder(tmp_path) == tmp_path / "background"
    assert background_folder(tmp_path / "background") is None
    with pytest.raises(FileNotFoundError, match=r"no background .*nothing: expected a picture"):
        read_background(tmp_path / "nothing")
