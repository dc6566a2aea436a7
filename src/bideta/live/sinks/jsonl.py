"""Events as JSON lines, to a file or to standard output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from bideta.live.events import Event


class JsonLines:
    """One event a line; every line is flushed, the file is synced when it is closed. ``-`` is standard output."""

    def __init__(self, path: str | Path) -> None:
        self.name = f"JSON lines {path}"
        self._to_file = str(path) != "-"
        self._stream = Path(path).open("a", encoding="utf-8") if self._to_file else sys.stdout  # noqa: SIM115

    def write(self, event: Event, image: Any) -> None:
        """Append one line."""
        self._stream.write(event.to_json() + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Sync and close the file; standard output stays open."""
        if self._to_file and not self._stream.closed:
            os.fsync(self._stream.fileno())
            self._stream.close()
