from __future__ import annotations

import numpy as np

from bideta.images.differences import Differences, difference

RNG = np.random.default_rng(0)


def test_differences_are_magnified_and_cut():
    a, b = np.array([[[100, 0, 255]]], np.uint8), np.array([[[90, 200, 0]]], np.uint8)
    assert difference(a, b).tolist() == [[[158, 0, 255]]]
    assert difference(a, a).tolist() == [[[128, 128, 128]]]


def test_every_pixel_is_what_the_formula_says():
    picture, other = RNG.integers(0, 256, (2, 7, 9, 3), dtype=np.uint8)
    found = difference(picture, other)
    for place in np.ndindex(picture.shape):
        want = 128 + 3 * (int(picture[place]) - int(other[place]))
        assert found[place] == min(max(want, 0), 255)


def test_the_larger_picture_is_brought_to_the_size_of_the_smaller_one():
    fine = np.kron(RNG.integers(0, 256, (6, 8, 1), dtype=np.uint8), np.ones((4, 4, 3), np.uint8))
    from PIL import Image

    coarse = np.asarray(Image.fromarray(fine).resize((16, 12), Image.Resampling.BICUBIC))
    assert np.unique(difference(fine, coarse)).tolist() == [128]  # the same picture: nothing differs
    assert difference(fine, coarse).shape == difference(coarse, fine).shape == (12, 16, 3)


def test_pictures_are_subtracted_row_by_row_when_they_are_asked_for():
    pictures, others = RNG.integers(0, 256, (2, 3, 4, 5, 3), dtype=np.uint8)
    pairs = Differences(pictures, others)
    assert len(pairs) == 3
    np.testing.assert_array_equal(pairs[1], difference(pictures[1], others[1]))
    np.testing.assert_array_equal(np.stack(pairs[1:]), [pairs[1], pairs[2]])
    assert pairs.revision() != Differences(pictures, pictures).revision()
