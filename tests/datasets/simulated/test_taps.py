from __future__ import annotations

import numpy as np
import pytest

from bideta.plugins import load_dataset

TINY = {"scale": 0.2, "size": 16}


@pytest.mark.parametrize("name", ["simulated-sitr", "simulated-tacverse"])
def test_taps_are_as_many_contacts_of_the_same_classes_and_sensors_each_its_own_press(name):
    presses, taps = load_dataset(name, **TINY), load_dataset(f"{name}-taps", **TINY)
    assert taps.sensors == presses.sensors
    assert taps.info.classes == presses.info.classes
    assert taps.info.budgets == presses.info.budgets
    for split in taps.info.splits:
        one, many = (
            taps.frames("TacTip" if "verse" in name else "Hex", split),
            presses.frames(presses.info.targets[-1], split),
        )
        np.testing.assert_array_equal(np.bincount(one.labels), np.bincount(many.labels))
        assert len(np.unique(one.presses)) == len(one)
        assert len(np.unique(many.presses)) < len(many)
