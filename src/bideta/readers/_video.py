"""Frames of a video file, one by one, through PyAV (extra ``video``); nothing but the file itself is opened.

The file's first bytes choose the demuxer: playlists and other formats that name further files are never reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.reading import MAX_PIXELS, ImageError, shown
from bideta.readers._extra import need
from bideta.readers._recordings import broken_off
from bideta.readers._sequential import Read

ATOMS = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot")  # which MP4 and MOV begin with


def demuxer(path: Path) -> str | None:
    """ffmpeg's name of the container by its first bytes; None: not a video."""
    with path.open("rb") as file:
        head = file.read(12)
    if head[4:8] in ATOMS:
        return "mov"
    if head[:4] == b"RIFF" and head[8:12] == b"AVI ":
        return "avi"
    if head[:4] == b"\x1a\x45\xdf\xa3":
        return "matroska"
    return "gif" if head[:6] in (b"GIF87a", b"GIF89a") else None


def frames_of(path: Path, start: float = 0.0) -> Iterator[tuple[Read, float]]:
    """How to get each picture, and its time in seconds, from ``start`` on."""
    av = need("av", "video", "videos")
    kind = demuxer(path) if path.is_file() else None
    if kind is None:
        raise ImageError(f"cannot read {shown(path)}: not an MP4, MOV, AVI, MKV or GIF video")
    try:
        with path.open("rb") as file, av.open(file, format=kind) as container:
            if not container.streams.video:
                raise ImageError(f"cannot read {shown(path)}: it holds no pictures")
            stream = container.streams.video[0]
            context = stream.codec_context
            context.thread_count = 1  # more threads hold more frames
            _check_size(context.width, context.height, path)
            context.options = {"max_pixels": str(MAX_PIXELS)}  # a size may change within the stream
            if start > 0 and stream.time_base:
                container.seek(int(start / stream.time_base), stream=stream)
            for frame in container.decode(stream):
                _check_size(frame.width, frame.height, path)
                yield partial(_pixels, frame), float(frame.time or 0.0)
    except (av.FFmpegError, MemoryError, ValueError, OverflowError, LookupError, OSError) as error:
        if isinstance(error, ImageError):
            raise
        raise broken_off(path, getattr(error, "strerror", None) or error) from error


def _check_size(width: int, height: int, path: Path) -> None:
    if width * height > MAX_PIXELS:
        raise ImageError(
            f"cannot read {shown(path)}: {width} × {height} pixels, at most {MAX_PIXELS:,} are allowed"
        )


def _pixels(frame: Any) -> NDArray[np.uint8]:
    """(H, W, 3) uint8 RGB."""
    pixels: NDArray[np.uint8] = frame.to_ndarray(format="rgb24")
    return pixels
