"""Names of files and folders that others chose: no command of a terminal, no line and no formula comes through."""

from __future__ import annotations

import shutil

from support.coloured_folders import table

ESCAPE, FORGED = "red \x1b[31m\x1b]0;title\x07.png", "a\nerror: forged.png"


def test_broken_images_are_named_on_one_line_each_without_escapes(sensor, home, bideta, tmp_path):
    shutil.copytree(home / "queries", tmp_path / "queries")
    for name in (ESCAPE, FORGED, "c\rforged.png", "\x9b2J.png"):
        (tmp_path / "queries" / name).write_bytes(b"no picture")
    code, said = bideta("predict", sensor, tmp_path / "queries", "-o", tmp_path / "x.csv")
    assert code == 1
    assert not {"\x1b", "\x07", "\r", "\x9b"} & set(said)
    assert "\nerror: forged" not in said
    assert r"a\nerror: forged.png" in said
    assert r"red \x1b[31m\x1b]0;title\x07.png" in said


def test_good_images_with_such_names_are_answered_and_add_no_row(sensor, home, bideta, tmp_path):
    queries = tmp_path / "queries"
    queries.mkdir()
    names = ("=1+1.png", "b\rforged,row.png", ESCAPE)
    for name in names:
        shutil.copy(home / "queries" / "bolt" / "0.png", queries / name)
    code, said = bideta("predict", sensor, queries, "-o", tmp_path / "x.csv")
    assert code == 0, said
    assert sorted(row["path"] for row in table(tmp_path / "x.csv")) == sorted(["'=1+1.png", *names[1:]])


def test_an_error_cannot_be_forged_by_a_folder_name(home, bideta, tmp_path):
    code, said = bideta("predict", tmp_path / "none\n\x1b[2Jdone", home / "queries", "-o", tmp_path / "x.csv")
    assert code == 2
    assert "\x1b" not in said
    assert said.startswith("error: ")
