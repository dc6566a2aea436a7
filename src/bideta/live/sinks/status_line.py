"""The newest answer on one line of a terminal that changes: for a person who watches, not for a program."""

from __future__ import annotations

import shutil
import sys
from typing import Any, TextIO

from bideta.images.reading import shown
from bideta.live.events import Event

ERASE = "\r\x1b[K"  # to the beginning of the line, and nothing behind


class StatusLine:
    """What is touched, how sure, how old; the line stays when the loop ends."""

    name = "status line"

    def __init__(self, place: TextIO | None = None) -> None:
        self._place = place or sys.stdout

    def write(self, event: Event, image: Any) -> None:
        """Put the event in the place of the one before."""
        width = shutil.get_terminal_size().columns - 1  # a full line would begin a second one
        self._place.write(ERASE + described(event)[:width])
        self._place.flush()

    def close(self) -> None:
        """Go on below the line."""
        self._place.write("\n")
        self._place.flush()


def described(event: Event) -> str:
    """The event in words.

    >>> described(Event(0.0, 7, True, "coin", 0.93, [("coin", 0.93), ("key", 0.04)], latency_ms=18.4))
    'touching: coin 93 %, else key 4 %; 18 ms'
    >>> described(Event(0.0, 9, False, "coin", 0.97, frames=12))
    'lifted; it was coin 97 %, 12 frames'
    >>> described(Event(0.0, 9, False, "coin", 0.58, frames=12, verdict="press again"))
    'lifted; it was coin 58 %, 12 frames: press again'
    >>> described(Event(0.0, 9, False, "coin", 0.97, frames=12, check={"level": "foreign", "kind": "bgr"}))
    'lifted; foreign (bgr): it was coin 97 %, 12 frames'
    """
    best = f"{shown(event.label)} {event.probability:.0%}".replace("%", " %")
    odd = f"{event.check['level']} ({event.check['kind']}): " if event.check else ""
    if not event.contact:
        again = ": press again" if event.verdict == "press again" else ""
        again += f"; the gel is {event.health['message']}" if event.health else ""
        return f"lifted; {odd}it was {best}, {event.frames} frames{again}" if event.label else "lifted"
    others = "".join(
        f", else {shown(label)} {share:.0%}".replace("%", " %") for label, share in event.top[1:2]
    )
    dropped = f", {event.dropped} frames dropped" if event.dropped else ""
    return f"touching: {odd}{best}{others}; {event.latency_ms:.0f} ms{dropped}"
