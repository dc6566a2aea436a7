"""Any recording that a reader takes, as a source of frames: a bag, an episode, arrays of pictures."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from bideta.images.reading import ImageError, shown
from bideta.live.sources.source import Pace, Picture
from bideta.plugins import find
from bideta.readers import format_of, open_contacts


class Recorded:
    """All frames of an input, in order, at ``fps``; one that cannot be read is left out and counted."""

    def __init__(self, path: str | Path, fps: float = 25.0) -> None:
        self.path, self.fps = Path(path), fps
        self.name = f"recording {shown(path)}"
        self.broken: list[str] = []

    def open(self) -> None:
        """List the frames; an error where there are none."""
        reader = format_of(self.path)
        takes = inspect.signature(find("reader", reader).load).parameters
        whole: dict[str, Any] = {"cut": "whole", "frames": 0} if "cut" in takes else {}
        self._contacts = open_contacts(self.path, reader, **whole)
        if self._contacts.kind != "picture":
            raise ValueError(f"{shown(self.path)} holds {self._contacts.kind}, expected pictures")
        self.broken = list(self._contacts.broken)
        self._next = 0
        self._pace = Pace(self.fps)

    def read(self) -> Picture | None:
        """The next readable frame when it is due; None at the end."""
        while self._next < len(self._contacts):
            self._next += 1
            try:
                image = self._contacts.pictures[self._next - 1]
            except ImageError as error:
                self.broken.append(str(error))
                continue
            self._pace.wait()
            return Picture(image)
        return None

    def close(self) -> None:
        """Nothing is held open."""
