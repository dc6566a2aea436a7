from __future__ import annotations

import os

import numpy as np
from PIL import Image

from bideta.images.lazy import Chosen, ImageFiles, revision


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


def test_chosen_rows_are_those_pictures_and_know_their_revision(tmp_path):
    for i in range(3):
        picture(seed=i).save(tmp_path / f"{i}.png")
    files = ImageFiles([tmp_path / f"{i}.png" for i in range(3)])
    chosen = Chosen(files, np.array([2, 0]))
    assert len(chosen) == 2
    np.testing.assert_array_equal(np.asarray(chosen), np.asarray(files)[[2, 0]])
    np.testing.assert_array_equal(chosen[1], files[0])
    assert revision(chosen) == Chosen(files, np.array([2, 0])).revision()
    assert revision(chosen) != revision(Chosen(files, np.array([0, 2])))


def test_pictures_in_memory_are_told_apart_by_their_pixels():
    pictures = np.zeros((3, 4, 4, 3), np.uint8)
    before = revision(pictures)
    assert revision(list(pictures)) == before
    pictures[2, 3, 3, 2] = 1
    assert revision(pictures) != before
    assert revision(Chosen(pictures, np.array([0]))) != revision(Chosen(pictures, np.array([1])))


def test_rows_of_a_list_are_a_list() -> None:
    pictures = [np.full((2, 3, 3), i, np.uint8) for i in range(5)]
    chosen = Chosen(pictures, np.array([4, 0, 2]))
    assert [int(picture[0, 0, 0]) for picture in chosen[1:]] == [0, 2]
    assert int(chosen[0][0, 0, 0]) == 4
