from __future__ import annotations

import os

import numpy as np
from PIL import Image

from bideta.images.lazy import ImageFiles


def picture(size=(12, 9), seed=0) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (*size[::-1], 3), np.uint8))


def test_files_behave_like_a_stack(tmp_path):
    for i in range(3):
        picture(seed=i).save(tmp_path / f"{i}.png")
    files = ImageFiles([tmp_path / f"{i}.png" for i in range(3)])
    assert np.asarray(files).shape == (3, 9, 12, 3)
    np.testing.assert_array_equal(files[np.array([2, 0])][0], np.asarray(picture(seed=2)))
    np.testing.assert_array_equal(files[1], files[1:2][0])
    assert len(files[:0]) == 0


def test_files_of_different_sizes_come_as_a_list(tmp_path):
    picture((4, 4)).save(tmp_path / "a.png")
    picture((8, 4)).save(tmp_path / "b.png")
    both = ImageFiles([tmp_path / "a.png", tmp_path / "b.png"])[:]
    assert [each.shape for each in both] == [(4, 4, 3), (4, 8, 3)]


def test_the_revision_changes_when_a_file_does(tmp_path):
    path = tmp_path / "a.png"
    picture().save(path)
    files = ImageFiles([path])
    before = files.revision()
    assert files.revision() == before
    os.utime(path, ns=(0, 0))
    assert files.revision() != before
