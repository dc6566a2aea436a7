"""Labelled contacts from a live source: a few frames of every press, saved into a folder of the class folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bideta.images.background import FOLDER
from bideta.images.png import write_png
from bideta.live.capture import Capture, Frame
from bideta.live.contact import ContactDetector

WAIT = 0.2  # seconds between looks at the stop conditions where no frames come
UNTOUCHED = 5  # frames of each recording that are kept as the sensor's background: enough for a median


@dataclass
class Recorder:
    """Saves ``per_press`` differing frames of every press as PNG files until ``count`` are there.

    Frames of one press resemble each other: a few of each press say more than many of one, and a measurement on them
    must know which belong together. So each press has a folder of its own, unless one frame of each is asked for.
    With the first of them, the first untouched frames go into a folder beside the class folder, where ``bideta adapt``
    looks for the sensor's background.
    """

    capture: Capture
    detector: ContactDetector
    folder: Path  # of the class; made with the first frame
    count: int
    per_press: int = 3
    # takes press and picture instead of the folder
    keep: Callable[[int, NDArray[np.uint8]], None] | None = None
    total: int = 0  # frames saved so far

    def run(self, seconds: float | None = None, saved: Callable[[int], None] | None = None) -> int:
        """How many frames were saved; fewer than ``count`` where the source ended or time was up."""
        begun, stem = time.monotonic(), time.strftime("%Y%m%d-%H%M%S")
        in_press = presses = 0
        untouched: list[Frame] = []
        with self.capture:
            while self.total < self.count and (seconds is None or time.monotonic() - begun < seconds):
                frame = self.capture.newest(WAIT)
                if frame is None:
                    if self.capture.ended:
                        break
                    continue
                if not self.detector.ready and len(untouched) < UNTOUCHED:
                    untouched.append(frame)
                touch = self.detector.see(frame.image)
                if not touch.contact:
                    in_press = 0
                elif touch.changed and in_press < self.per_press:
                    presses += in_press == 0
                    in_press += 1
                    if not self.total and self.keep is None:
                        for empty in untouched:
                            place = self.folder.parent / FOLDER
                            write_png(_free(place / f"untouched-{stem}", empty.number), empty.image)
                    self.total += 1
                    if self.keep is not None:
                        self.keep(presses, frame.image)
                    else:
                        write_png(self._new_path(f"press-{stem}-{presses:03d}", frame.number), frame.image)
                    if saved is not None:
                        saved(self.total)
        return self.total

    def _new_path(self, press: str, number: int) -> Path:
        return _free(self.folder / press / "frame" if self.per_press > 1 else self.folder / press, number)


def _free(start: Path, number: int) -> Path:
    """A name that is not taken: nothing is ever overwritten."""
    start.parent.mkdir(parents=True, exist_ok=True)
    path = start.with_name(f"{start.name}-{number:06d}.png")
    extra = 1
    while path.exists():
        path = start.with_name(f"{start.name}-{number:06d}-{extra}.png")
        extra += 1
    return path
