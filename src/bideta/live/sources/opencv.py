"""A camera or a video file, through OpenCV (extra ``live``)."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.reading import shown
from bideta.live.cameras import find_camera
from bideta.live.sources.source import Pace, Picture, SourceLostError


class Camera:
    """A camera by serial number, device path or index, through OpenCV (extra ``live``).

    MJPG is asked for, because uncompressed frames do not fit through USB 2 at full rate, and a buffer of one
    frame, because old frames are of no use.
    """

    def __init__(
        self, which: str = "", width: int | None = None, height: int | None = None, fps: float | None = None
    ) -> None:
        self.which, self.width, self.height, self.fps = which, width, height, fps
        self.name = f"camera {which}".strip()
        self._device: Any = None

    def open(self) -> None:
        """Open the device and ask for MJPG, size and rate."""
        cv2 = _cv2()
        place = find_camera(self.which)
        device = cv2.VideoCapture(place)
        if not device.isOpened():
            raise SourceLostError(
                f"cannot open camera {place!r}: is it plugged in, or used by another program?"
            )
        device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter_fourcc(*"MJPG"))
        device.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        for setting, value in (
            (cv2.CAP_PROP_FRAME_WIDTH, self.width),
            (cv2.CAP_PROP_FRAME_HEIGHT, self.height),
            (cv2.CAP_PROP_FPS, self.fps),
        ):
            if value is not None:
                device.set(setting, value)
        self._device = device

    def read(self) -> Picture | None:
        """The next frame, BGR turned into RGB."""
        ok, image = self._device.read()
        if not ok or image is None:
            raise SourceLostError(f"{self.name} stopped sending frames")
        return Picture(rgb(image))

    def close(self) -> None:
        """Release the device."""
        if self._device is not None:
            self._device.release()
            self._device = None


class Video:
    """A video file at its own frame rate (or ``fps``), through OpenCV (extra ``live``)."""

    def __init__(self, path: str | Path, fps: float | None = None) -> None:
        self.path, self.fps = Path(path), fps
        self.name = f"video {shown(path)}"
        self._file: Any = None

    def open(self) -> None:
        """Open the file; one that holds no video is refused."""
        cv2 = _cv2()
        if not self.path.is_file():
            raise FileNotFoundError(f"no video {shown(self.path)}")
        self._file = cv2.VideoCapture(str(self.path))
        if not self._file.isOpened():
            raise OSError(f"{shown(self.path)} is not a video that OpenCV can read")
        self._pace = Pace(self.fps or self._file.get(cv2.CAP_PROP_FPS) or 25.0)

    def read(self) -> Picture | None:
        """The next frame when it is due; None at the end."""
        ok, image = self._file.read()
        if not ok or image is None:
            return None
        self._pace.wait()
        return Picture(rgb(image))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.release()
            self._file = None


def rgb(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """OpenCV's picture as RGB: blue, green, red; the same with transparency; or grey."""
    if image.ndim == 2:
        image = image[..., None]
    if image.shape[2] == 1:
        return np.repeat(image, 3, axis=2)
    return np.ascontiguousarray(image[..., 2::-1])


def _cv2() -> Any:
    try:
        return importlib.import_module("cv2")
    except ImportError as error:
        raise ImportError("cameras and videos need OpenCV: pip install 'bideta[live]'") from error
