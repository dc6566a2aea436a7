"""Press numbers that begin anew in every class, sensor or split: tables and arrays say what folders say."""

from __future__ import annotations

import numpy as np

from bideta.datasets.on_disk.target_table import read_targets
from bideta.readers import Contacts, open_contacts


def contacts(**facts):
    return Contacts([f"row {row}" for row in range(6)], [None] * 6, **facts)


def test_a_press_is_of_one_class_sensor_and_split():
    presses = ["1", "1", "1", "2", "", ""]
    assert contacts(presses=presses).press_numbers.tolist() == [0, 0, 0, 1, 2, 3]
    assert contacts(presses=presses).press_names == ["1", "1", "1", "2", "row 4", "row 5"]
    for fact in ("labels", "sensors", "splits"):
        found = contacts(presses=presses, **{fact: ["a", "b", "a", "b", "a", "a"]})
        assert found.press_numbers.tolist() == [0, 1, 0, 2, 3, 4]
        assert found.press_names == ["a/1", "b/1", "a/1", "b/2", "row 4", "row 5"]
    both = contacts(presses=["1"] * 6, labels=[*"aabbcc"], sensors=["x"] * 3 + ["y"] * 3, splits=["all"] * 6)
    assert both.press_names == ["x/a/1", "x/a/1", "x/b/1", "y/b/1", "y/c/1", "y/c/1"]


def test_names_that_come_once_are_left_as_they_are():
    found = contacts(presses=["1", "1", "2", "2", "3", ""], labels=[*"aabbcc"])
    assert found.press_names == ["1", "1", "2", "2", "3", "row 5"]


def test_presses_of_a_table_of_quantities_begin_anew_in_every_class_and_split(tmp_path):
    rows = [("cup", "train", "1"), ("cup", "train", "1"), ("nut", "train", "1"), ("nut", "test", "1")]
    lines = [f"{i}.png,{label},{split},{press},0.5" for i, (label, split, press) in enumerate(rows)]
    (tmp_path / "t.csv").write_text(
        "\n".join(["path,label,split,press,depth_mm", *lines, "4.png,nut,test,,1"])
    )
    table = read_targets(tmp_path / "t.csv", tmp_path)
    assert table.presses[0] == table.presses[1]
    assert len(set(table.presses)) == 4
    learned = read_targets(tmp_path / "t.csv", tmp_path, "train")
    assert len(set(learned.presses)) == 2


def test_arrays_name_a_press_once_and_an_empty_text_is_no_press(tmp_path):
    press = ["cup/press 3", "cup/press 3", "7", "", ""]
    np.savez(tmp_path / "a.npz", X=np.zeros((5, 8, 8, 3), np.uint8), press=press)
    found = open_contacts(tmp_path / "a.npz")
    assert found.names[0] == "cup/press 3/row 000000"
    assert found.names[2:4] == ["press 7/row 000002", "row 000003"]
    assert found.press_numbers.tolist() == [0, 0, 1, 2, 3]
