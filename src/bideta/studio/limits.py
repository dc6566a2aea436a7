"""What the server allows: one dataclass, so that tests and ``bideta studio`` can change any of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

MB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes, times in seconds."""

    request_bytes: int = 32 * MB  # of a form with images
    text_bytes: int = 4 * MB  # of any other body: JSON with the readouts of about a thousand contacts
    image_bytes: int = 16 * MB
    image_pixels: int = 20_000_000
    request_pixels: int = 100_000_000  # of all images of a request: seconds of decoding
    decoding_pixels: int = 25_000_000  # at a time, all requests together: up to 17 bytes each
    answer_seconds: float = 90.0  # for a computation and its waiting
    decoding_seconds: float = 10.0  # that an image waits for its share of them
    files_per_request: int = 64
    inflight_bytes: int = 256 * MB  # bodies that are being received, all clients together
    requests: int = 1024  # being answered or received at a time; the next one is sent away with 503
    stream_seconds: float = 900.0  # without a message; then a websocket is closed
    body_seconds: float = 30.0  # a whole body; a slow client is cut off
    session_bytes: int = 512 * MB
    session_contacts: int = 20_000
    store_bytes: int = 8192 * MB  # all sessions together
    sessions: int = 4096
    lifetime: float = 7 * 24 * 3600.0  # after the last use
    idle: float = 900.0  # then a session leaves memory; it stays on disk
    queue: int = 96  # requests that may wait for a slot; the next one is sent away with 429
    label_length: int = 100  # characters
    name_length: int = 300


def default_home() -> Path:
    """Where sessions are kept: the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "bideta" / "studio"
