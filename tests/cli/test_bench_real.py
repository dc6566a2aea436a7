from __future__ import annotations

import lzma

from support.real_sets import write_everything


def test_a_folder_of_sets_is_measured_drawn_and_resumed(bideta, tmp_path):
    root = write_everything(tmp_path / "real")
    command = ("bench", "real", "--root", root, "--encoder", "twin-tvl", "--method", "lda", "--quick")
    code, said = bideta(*command, "--dry-run", "--sheets", tmp_path / "sheets")
    assert code == 0
    assert "cells, sets: mini-b-day1, mini-day1, mini-day2, objects, taps" in said
    assert (tmp_path / "sheets" / "objects.png").is_file()
    code, said = bideta(*command, "--out", tmp_path / "run", "--page", tmp_path / "real.md")
    assert code == 0
    assert "0 failed" in said
    assert (tmp_path / "real.md").is_file()
    code, said = bideta(*command, "--out", tmp_path / "run")
    assert "0 cells to do" in said
    (tmp_path / "run" / "records.jsonl.xz").write_bytes(
        lzma.compress((tmp_path / "run" / "records.jsonl").read_bytes())
    )
    (tmp_path / "run" / "records.jsonl").unlink()
    code, said = bideta(*command, "--out", tmp_path / "run")
    assert "0 cells to do" in said
    code, said = bideta("bench", "real", "--out", tmp_path / "run", "--page", tmp_path / "again.md")
    assert code == 0
    assert (tmp_path / "again.md").read_text() == (tmp_path / "real.md").read_text()


def test_the_root_is_needed(bideta):
    code, said = bideta("bench", "real", "--dry-run")
    assert code == 2
    assert "needs one --root" in said
