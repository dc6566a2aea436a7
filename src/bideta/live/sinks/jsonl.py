"""Events as JSON lines, to a file or to standard output."""

from __future__ import annotations

import os
import select
import stat
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

from bideta.images.reading import shown
from bideta.live.events import Event

WAITING = 1024  # events kept for a reader that does not read; older ones are dropped
PIECE = 4096  # bytes that a pipe takes at once where it takes any (PIPE_BUF): such a write never waits
GOODBYE = 1.0  # seconds that the last events may take to be read


class JsonLines:
    """One event a line, at once; a file is synced when it is closed. ``-`` is standard output.

    A pipe or a terminal that nobody reads is not waited for: the loop goes on, the newest events are kept, and the end
    says how many were not read.
    """

    def __init__(self, path: str | Path) -> None:
        self.name = f"JSON lines {shown(path)}"
        self._waiting: deque[bytes] = deque()
        self._begun = b""  # rest of a line of which a part is written
        self._lost = 0
        self._own = str(path) != "-"
        self._place: Any = _opened(Path(path)) if self._own else _standard_output()
        self._file = self._place is None or stat.S_ISREG(os.fstat(self._place).st_mode)

    def write(self, event: Event, image: Any) -> None:
        """Append one line."""
        line = f"{event.to_json()}\n"
        if self._place is None:
            sys.stdout.write(line)
            sys.stdout.flush()
            return
        self._waiting.append(line.encode("utf-8", "replace"))
        if len(self._waiting) > WAITING:
            self._waiting.popleft()
            self._lost += 1
        self._push(0.0)

    def close(self) -> None:
        """Sync and close the file; standard output stays open. An error where events were not read."""
        if self._place is None:
            return
        try:
            self._push(GOODBYE)
            if self._own and self._file:
                os.fsync(self._place)
        finally:
            if self._own:
                os.close(self._place)
            self._place = None
        unread = self._lost + len(self._waiting) + bool(self._begun)
        if unread:
            raise TimeoutError(f"nobody read {unread} of the events")

    def _push(self, seconds: float) -> None:
        """Write what can be written without waiting, or for so many seconds at most."""
        deadline = time.monotonic() + seconds
        while self._begun or self._waiting:
            if not self._file:
                left = max(deadline - time.monotonic(), 0.0)
                if not select.select([], [self._place], [], left)[1]:
                    return
            self._begun = self._begun or self._waiting.popleft()
            self._begun = self._begun[os.write(self._place, self._begun[:PIECE]) :]


def _opened(path: Path) -> int:
    """The file, to append to; a torn last line (its writer was killed) is ended first."""
    try:
        place = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o666)
    except OSError as error:
        if path.is_fifo():
            raise OSError(f"nobody reads the pipe {shown(path)}; start its reader first") from error
        raise
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as written:
            written.seek(-1, os.SEEK_END)
            torn = written.read(1) != b"\n"
        if torn:
            os.write(place, b"\n")
    return place


def _standard_output() -> int | None:
    """Its number; None where it is no file of the system (a notebook, a test) or cannot be asked (Windows)."""
    if sys.platform == "win32":
        return None
    try:
        sys.stdout.flush()
        return sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):
        return None
