from __future__ import annotations

import pytest

from bideta.images.untouched import untouched_folder, untouched_frames


def touch(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def test_every_contact_has_the_first_untouched_frame_of_its_press(tmp_path):
    root = tmp_path / "cups"
    paths = [touch(root / "a" / f"press {k}" / f"{i}.png") for k in (1, 2) for i in (1, 2)]
    assert untouched_folder(root) is None
    for k in (1, 2):
        for i in (0, 1):
            touch(tmp_path / "cups-untouched" / "a" / f"press {k}" / f"{i}.png")
    beside = untouched_folder(root)
    frames = untouched_frames(paths, root, beside)
    assert [frame.relative_to(beside).as_posix() for frame in frames] == ["a/press 1/0.png"] * 2 + [
        "a/press 2/0.png"
    ] * 2


def test_a_missing_press_is_named(tmp_path):
    paths = [touch(tmp_path / "cups" / "a" / "press 1" / "1.png")]
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no frame of a/press 1"):
        untouched_frames(paths, tmp_path / "cups", tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="expected untouched frames"):
        untouched_frames(paths, tmp_path / "cups", tmp_path / "nothing")
