"""Press numbers that begin anew in every class, sensor or split: tables and arrays say what folders say."""

from __future__ import annotations

import numpy as np

from bideta.readers import open_contacts


def test_arrays_name_a_press_once_and_an_empty_text_is_no_press(tmp_path):
    press = ["cup/press 3", "cup/press 3", "7", "", ""]
    np.savez(tmp_path / "a.npz", X=np.zeros((5, 8, 8, 3), np.uint8), press=press)
    found = open_contacts(tmp_path / "a.npz")
    assert found.names[0] == "cup/press 3/row 000000"
    assert found.names[2:4] == ["press 7/row 000002", "row 000003"]
    assert found.press_numbers.tolist() == [0, 0, 1, 2, 3]
