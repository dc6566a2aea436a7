"""Recordings of any format as a live source."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.live.sources import Recorded
from support import formats


def test_every_frame_comes_once_and_in_order(tmp_path):
    made = formats.presses(0)
    source = Recorded(formats.write_sparsh(tmp_path, made), fps=1e6)
    for _ in range(2):  # it can be opened again
        source.open()
        pictures = []
        while (picture := source.read()) is not None:
            pictures.append(picture.image)
        assert np.array_equal(np.stack(pictures), np.concatenate([press.frames for press in made]))
        source.close()


def test_presses_of_a_recording_are_captured(tmp_path, capsys, monkeypatch):
    import sys

    from bideta.cli import main

    still = np.full((*formats.SIZE, 3), 128, np.uint8)
    touched = still.copy()
    touched[8:16, 8:24] = 220
    np.savez(tmp_path / "film.npz", X=np.stack([still] * 80 + [touched] * 60 + [still] * 10))
    words = [
        "capture",
        tmp_path / "out",
        "--label",
        "bolt",
        "--count",
        5,
        "--source",
        f"recording:{tmp_path / 'film.npz'}",
    ]
    monkeypatch.setattr(sys, "argv", ["bideta", *map(str, words), "--fps", "100", "--seconds", "20"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code, capsys.readouterr()
    assert len(list((tmp_path / "out").rglob("*.png"))) >= 1


def test_signals_are_no_pictures(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.zeros((3, 2, 9), np.float32))
    with pytest.raises(ValueError, match="holds signals, expected pictures"):
        Recorded(tmp_path / "x.npz").open()
