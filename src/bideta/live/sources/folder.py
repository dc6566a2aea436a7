"""The images of a folder as a source of frames."""

from __future__ import annotations

from pathlib import Path

from bideta.images.folders import find_images
from bideta.images.reading import ImageError, read_image, shown
from bideta.live.sources.source import Pace, Picture


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
