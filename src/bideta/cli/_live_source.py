"""``--source`` on the command line → a live source."""

from __future__ import annotations

from bideta.live.sources import SIMULATED_RATE, Camera, Folder, Recorded, Simulated, Source, Video

KINDS = ("camera", "video", "folder", "recording", "simulated")
SOURCE_HELP = (
    "camera, camera:SERIAL (see bideta sensors), video:FILE, folder:DIR, recording:PATH (any input of predict), "
    "simulated or simulated:SENSOR"
)


def open_source(text: str, fps: float | None, size: tuple[int, int] | None, seed: int) -> Source:
    """The source that ``kind:argument`` names."""
    kind, _, argument = text.partition(":")
    if kind not in KINDS:
        raise ValueError(f"--source is {text!r}, expected one of: {SOURCE_HELP}")
    if kind in ("video", "folder", "recording") and not argument:
        raise ValueError(f"--source {kind} needs a path: --source {kind}:PATH")
    if fps is not None and not fps > 0:
        raise ValueError(f"--fps is {fps}, expected a positive number")
    if kind == "camera":
        width, height = size or (None, None)
        return Camera(argument, width, height, fps)
    if kind == "video":
        return Video(argument, fps)
    if kind == "recording":
        return Recorded(argument, fps or 25.0)
    if kind == "folder":
        return Folder(argument, fps or 25.0)
    return Simulated(argument or "Mini_1", fps=fps or SIMULATED_RATE, seed=seed)


def parse_size(text: str) -> tuple[int, int] | None:
    """``"640x480"`` → (640, 480); empty: as the camera likes."""
    if not text:
        return None
    width, cross, height = text.lower().partition("x")
    if not cross or not width.isdigit() or not height.isdigit():
        raise ValueError(f"--size is {text!r}, expected WIDTHxHEIGHT such as 640x480")
    return int(width), int(height)
