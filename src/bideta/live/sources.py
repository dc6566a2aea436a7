"""Where frames come from: a camera, a video, a folder of images, or the simulator. All yield RGB."""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bideta.datasets.simulated.levels import DEFAULT_LEVEL, find_level
from bideta.images.folders import find_images
from bideta.images.reading import ImageError, read_image, shown
from bideta.live.cameras import find_camera
from bideta.sim import HOUSEHOLD, Geometry, find_sensor, presses, render

SIMULATED_RATE = 60.0  # frames per second, as a DIGIT has
PRESS_FRAMES, PAUSE_FRAMES = 60, 20  # simulated: a second of contact, a third of a second without
AWAY_MM = -3.0  # depth of an object that does not touch


class SourceLostError(OSError):
    """The source went away (a camera unplugged) and may come back."""


@dataclass(frozen=True)
class Picture:
    """What a source reads."""

    image: NDArray[np.uint8]  # (H, W, 3) RGB
    truth: str | None = None  # "" without contact; None where nobody knows


class Source(Protocol):
    """What every source offers; ``open`` after ``close`` starts it again."""

    name: str

    def open(self) -> None:
        """Make it ready; an OSError names what is missing."""
        ...

    def read(self) -> Picture | None:
        """The next frame, waiting for it; None at the end. SourceLostError: gone, perhaps back later."""
        ...

    def close(self) -> None:
        """Let go of it; more than once does no harm."""
        ...


class Pace:
    """Waits so that frames leave at a rate; a late one does not make the next ones early."""

    def __init__(self, rate: float) -> None:
        if not rate > 0:
            raise ValueError(f"fps is {rate}, expected a positive number of frames per second")
        self.interval = 1 / rate
        self._next = 0.0

    def wait(self) -> None:
        """Sleep until the next frame is due."""
        now = time.monotonic()
        if self._next > now:
            time.sleep(self._next - now)
        self._next = max(self._next, now) + self.interval


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
        return Picture(np.ascontiguousarray(image[..., ::-1]))

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
        return Picture(np.ascontiguousarray(image[..., ::-1]))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.release()
            self._file = None


class Folder:
    """The images below a folder, by name, at ``fps``; one that cannot be read is left out and counted."""

    def __init__(self, path: str | Path, fps: float = 25.0) -> None:
        self.path, self.fps = Path(path), fps
        self.name = f"folder {shown(path)}"
        self.broken: list[str] = []

    def open(self) -> None:
        """List the images; an error where there is none."""
        self._paths = iter(find_images(self.path))
        self._pace = Pace(self.fps)

    def read(self) -> Picture | None:
        """The next readable image when it is due; None at the end."""
        for path in self._paths:
            try:
                image = read_image(path)
            except ImageError as error:
                self.broken.append(str(error))
                continue
            self._pace.wait()
            return Picture(image)
        return None

    def close(self) -> None:
        """Nothing is held open."""


class Simulated:
    """Presses of a simulated sensor, with pauses in between; the sequence is rendered once and repeats.

    Nothing is shared with the simulated datasets: presses come from their own random stream.
    """

    def __init__(
        self,
        sensor: str = "Mini_1",
        *,
        objects: Sequence[Geometry] = HOUSEHOLD,
        fps: float = SIMULATED_RATE,
        n_presses: int = 16,
        difficulty: str = DEFAULT_LEVEL,
        size: int = 64,
        seed: int = 0,
        frames: int | None = None,
    ) -> None:
        self.design = find_sensor(sensor)
        self.objects, self.fps, self.n_presses = tuple(objects), fps, n_presses
        self.level, self.size, self.seed = find_level(difficulty), size, seed
        self.frames = frames  # how many to send; None: without end
        self.name = f"simulated {self.design.name}"
        self._pictures: NDArray[np.uint8] | None = None
        Pace(fps)  # refuses an impossible rate now

    def open(self) -> None:
        """Render the sequence, the first time."""
        if self._pictures is None:
            self._pictures, self._truth = self._render()
            self._sent = 0
        self._pace = Pace(self.fps)

    def read(self) -> Picture | None:
        """The next frame when it is due."""
        assert self._pictures is not None, "open the source first"
        if self._sent == self.frames:
            return None
        row = self._sent % len(self._pictures)
        self._sent += 1
        self._pace.wait()
        return Picture(self._pictures[row], self._truth[row])

    def close(self) -> None:
        """Nothing is held open."""

    def _render(self) -> tuple[NDArray[np.uint8], list[str]]:
        rng = np.random.default_rng((self.seed, 77))
        order = np.resize(rng.permutation(len(self.objects)), self.n_presses)
        length = PAUSE_FRAMES + PRESS_FRAMES
        contacts = presses(self.objects, order, rng, frames=length, ranges=self.level.ranges)
        away = np.arange(len(contacts)) % length < PAUSE_FRAMES
        contacts = replace(contacts, depth=np.where(away, np.float32(AWAY_MM), contacts.depth))
        conditions = replace(self.level.conditions, drift=0.0)  # one recording: its light does not jump
        pictures = render(contacts, self.design, size=self.size, seed=rng, conditions=conditions)
        names = [self.objects[i].name for i in contacts.object]
        return pictures, ["" if off else name for off, name in zip(away, names, strict=True)]


def _cv2() -> Any:
    try:
        return importlib.import_module("cv2")
    except ImportError as error:
        raise ImportError("cameras and videos need OpenCV: pip install 'bideta[live]'") from error
