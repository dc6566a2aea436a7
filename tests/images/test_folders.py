from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bideta.images.folders import has_image, image_files, image_tree, natural, relative, subfolders


@pytest.fixture
def root(tmp_path):
    for name in ("b/10.png", "b/2.JPG", "b/.hidden.png", "b/notes.txt", "a/deep/1.bmp", ".git/1.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "b" / "folder.png").mkdir()
    return tmp_path


def test_folders_and_files_come_in_natural_order_without_hidden_ones(root):
    assert list(subfolders(root)) == ["a", "b"]
    assert [path.name for path in image_files(root / "b")] == ["2.JPG", "10.png"]
    assert image_files(root / "a") == []


def test_the_tree_holds_images_at_every_depth(root):
    assert [relative(path, root) for path in image_tree(root)] == ["a/deep/1.bmp", "b/2.JPG", "b/10.png"]


def test_linked_folders_are_entered_as_class_folders_are(root, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "1.png").touch()
    (root / "a link").symlink_to(elsewhere)
    assert "a link" in subfolders(root)
    assert "a link/1.png" in [relative(path, root) for path in image_tree(root)]
    only_links = tmp_path_factory.mktemp("later")
    (only_links / "bolt").symlink_to(elsewhere)
    assert has_image(only_links)


def test_links_that_go_round_end_and_no_picture_is_found_twice(root):
    found = image_tree(root)
    for number in range(12):  # entered on every way, these would be 12! ways
        (root / f"a{number}").mkdir()
        (root / f"a{number}" / "around").symlink_to(root)
    (root / "a" / "b again").symlink_to(root / "b")
    (root / "nowhere").symlink_to(root / "gone")
    (root / "itself").symlink_to(root / "itself")
    assert image_tree(root) == found


def test_what_is_not_there_is_empty(tmp_path):
    assert subfolders(tmp_path / "no") == {}
    assert image_files(tmp_path / "no") == []
    assert image_tree(tmp_path / "no") == []


def test_numbers_in_names_count():
    assert sorted(["frame 10", "frame 9b", "frame 9a"], key=natural) == ["frame 9a", "frame 9b", "frame 10"]


@pytest.mark.parametrize("digit", ["３", "٣", "१", "²", "Ⅷ", "𝟗"])
def test_digits_of_other_scripts_are_letters(digit):
    names = ["3", digit, "a", f"a{digit}", "a3", f"3{digit}3", ""]
    backwards = names[::-1]
    assert sorted(names, key=natural) == sorted(backwards, key=natural)
    assert sorted(["frame 10", "frame 9", digit], key=natural).index("frame 9") < 2


def test_any_two_names_of_any_script_can_be_compared():
    everything = "".join(map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))))
    names = [everything[i : i + 9] for i in range(0, len(everything), 9)]
    assert len(sorted(names, key=natural)) == len(names)


def test_a_path_elsewhere_stays_whole(tmp_path):
    assert relative(Path("/elsewhere/a.png"), tmp_path) == "/elsewhere/a.png"
