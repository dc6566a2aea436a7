"""Cameras of this machine by serial number: /dev/video numbers change with every plug, serials do not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DEVICES = Path("/sys/class/video4linux")


@dataclass(frozen=True)
class CameraInfo:
    """One camera as the kernel describes it."""

    device: str  # "/dev/video0"
    name: str  # "DIGIT: DIGIT"
    serial: str  # of the USB device; empty where it has none
    product: str = ""


def list_cameras(devices: Path = DEVICES) -> list[CameraInfo]:
    """Every video device that delivers pictures, by device number (Linux; elsewhere the list is empty)."""
    cameras = []
    for entry in sorted(devices.glob("video*"), key=lambda path: int(path.name.removeprefix("video") or 0)):
        if _text(entry / "index") not in ("", "0"):  # further nodes of a camera carry metadata, not pictures
            continue
        usb = _usb_device(entry)
        name, serial, product = _text(entry / "name"), _text(usb / "serial"), _text(usb / "product")
        cameras.append(CameraInfo(f"/dev/{entry.name}", name, serial, product))
    return cameras


def find_camera(which: str, devices: Path = DEVICES) -> str | int:
    """What OpenCV opens for a serial number, a device path or an index; the only camera for "".

    A serial is looked up anew each time: after unplugging, a camera may come back under another number.
    """
    if which.startswith("/"):
        return which
    if which.isdigit() and len(which) <= 2:  # an index; serials are longer
        return int(which)
    cameras = list_cameras(devices)
    known = ", ".join(f"{camera.serial or 'no serial'} ({camera.device})" for camera in cameras) or "none"
    matching = [camera for camera in cameras if not which or camera.serial == which]
    if not matching:
        raise FileNotFoundError(f"no camera{f' with serial {which!r}' if which else ''}; connected: {known}")
    if len(matching) > 1:
        raise OSError(f"{len(matching)} cameras are connected; choose one by its serial: {known}")
    return matching[0].device


def _usb_device(entry: Path) -> Path:
    """The USB device above a video node: the first parent with a vendor number; the node itself where none has."""
    for folder in (entry / "device").resolve().parents if (entry / "device").exists() else ():
        if (folder / "idVendor").exists():
            return folder
    return entry


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
