from __future__ import annotations

import numpy as np
import pytest

from bideta.datasets import Frames


def test_the_earlier_name_of_the_presses_still_works_and_says_the_new_one():
    presses = np.array([0, 0, 1])
    frames = Frames(np.zeros((3, 2, 2, 3), np.uint8), np.zeros(3, np.int64), ["a", "b", "c"], presses)
    with pytest.warns(DeprecationWarning, match=r"Frames\.presses"):
        assert frames.groups is presses
