from __future__ import annotations

from pathlib import Path

import pytest

from bideta.live.cameras import find_camera, list_cameras


@pytest.fixture
def devices(tmp_path: Path) -> Path:
    """A kernel tree with two sensors, a metadata node, and a camera without USB above it."""
    classes = tmp_path / "class"
    for number, (name, serial) in enumerate([("DIGIT", "D20542"), ("GelSight Mini", "28DJ-6XE2")]):
        usb = tmp_path / f"usb{number}"
        (usb / "interface").mkdir(parents=True)
        (usb / "idVendor").write_text("2833\n")
        (usb / "serial").write_text(f"{serial}\n")
        (usb / "product").write_text(f"{name} camera\n")
        for node, index in ((2 * number, 0), (2 * number + 1, 1)):
            entry = classes / f"video{node}"
            entry.mkdir(parents=True)
            (entry / "name").write_text(f"{name}\n")
            (entry / "index").write_text(f"{index}\n")
            (entry / "device").symlink_to(usb / "interface")
    built_in = classes / "video10"
    built_in.mkdir()
    (built_in / "name").write_text("Built in\n")
    return classes


def test_cameras_are_listed_with_their_serials_and_without_metadata_nodes(devices: Path) -> None:
    found = [(camera.device, camera.name, camera.serial, camera.product) for camera in list_cameras(devices)]
    assert found == [
        ("/dev/video0", "DIGIT", "D20542", "DIGIT camera"),
        ("/dev/video2", "GelSight Mini", "28DJ-6XE2", "GelSight Mini camera"),
        ("/dev/video10", "Built in", "", ""),
    ]


def test_a_camera_is_found_by_serial_path_or_index(devices: Path) -> None:
    assert find_camera("28DJ-6XE2", devices) == "/dev/video2"
    assert find_camera("/dev/video7", devices) == "/dev/video7"
    assert find_camera("3", devices) == 3


def test_an_unknown_serial_lists_the_connected_ones(devices: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"'D99999'; connected: D20542 \(/dev/video0\)"):
        find_camera("D99999", devices)


def test_without_a_name_there_must_be_exactly_one(devices: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="3 cameras are connected"):
        find_camera("", devices)
    with pytest.raises(FileNotFoundError, match="connected: none"):
        find_camera("", tmp_path / "nothing")
