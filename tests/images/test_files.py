from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from bideta.images.files import new_folder, replacing, write_atomic


def test_a_file_is_replaced_with_the_permissions_of_a_plain_one(tmp_path):
    path, plain = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"old")
    plain.write_bytes(b"")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_an_error_while_writing_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="full"):
        fail_in_a_file(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_names_the_file(tmp_path, monkeypatch):
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_atomic(Path("/dev/full"), bytes(10))

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*/a\.csv'"):
        write_atomic(tmp_path / "a.csv", b"new")


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_appears_whole(tmp_path, there):
    folder = tmp_path / "deep" / "new"
    if there:
        folder.mkdir(parents=True)
    with new_folder(folder) as unfinished:
        (unfinished / "a").write_bytes(b"1")
        assert folder.exists() == there
    assert os.listdir(folder) == ["a"]
    assert os.listdir(folder.parent) == ["new"]


def test_an_error_leaves_no_folder(tmp_path):
    with pytest.raises(OSError, match="full"):
        fail_in_a_folder(tmp_path / "new")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "mine").write_bytes(b"1")
    with pytest.raises(FileExistsError, match="not empty"), new_folder(tmp_path):
        pass
    assert os.listdir(tmp_path) == ["mine"]


def fail_in_a_file(path):
    with replacing(path) as stream:
        stream.write(b"half")
        raise OSError("full")


def fail_in_a_folder(folder):
    with new_folder(folder) as unfinished:
        (unfinished / "a").write_bytes(b"1")
        raise OSError("full")


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link, dangling = tmp_path / "there" / "a", tmp_path / "link", tmp_path / "dangling"
    target.write_bytes(b"old")
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "there" / "new")
    write_atomic(link, b"new")
    write_atomic(dangling, b"made")
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert target.read_bytes() == b"new"
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["a", "new"]


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomic(pipe, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_device_is_written_to_and_stays():
    write_atomic(Path("/dev/null"), b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(Path("/dev/full"), b"x")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
