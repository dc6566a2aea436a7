"""Three ROS 2 messages from their bytes (CDR): pictures and texts. Nothing else of a bag is ever decoded."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bideta.images.reading import MAX_PIXELS, ImageError, decode_image, shown
from bideta.readers._extra import need

IMAGE, COMPRESSED, TEXT = "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage", "std_msgs/msg/String"
ZSTD = b"\x28\xb5\x2f\xfd"  # what a message begins with that was compressed by itself; CDR begins with 0
UNPACKED = 2**27  # bytes of a message
# Encoding → channels, and where red, green and blue are among them.
ENCODINGS = {
    "rgb8": (3, (0, 1, 2)), "bgr8": (3, (2, 1, 0)), "rgba8": (4, (0, 1, 2)), "bgra8": (4, (2, 1, 0)),
    "mono8": (1, (0, 0, 0)), "8UC1": (1, (0, 0, 0)), "8UC3": (3, (2, 1, 0)),
}  # fmt: skip


@dataclass
class _Cursor:
    """Walks over a message; alignment counts from behind the four bytes that say the byte order."""

    data: bytes
    offset: int = 4

    def __post_init__(self) -> None:
        if len(self.data) < 4 or self.data[0] != 0 or self.data[1] not in (0, 1):
            raise ValueError("not a CDR message")
        self.order = "<" if self.data[1] else ">"

    def number(self, kind: str = "I") -> int:
        size = struct.calcsize(kind)
        self.offset += -(self.offset - 4) % size
        (value,) = struct.unpack_from(self.order + kind, self.data, self.offset)
        self.offset += size
        return int(value)

    def piece(self) -> bytes:
        length = self.number()
        if length > len(self.data) - self.offset:
            raise ValueError(f"a part of {length:,} bytes in a message of {len(self.data):,}")
        self.offset += length
        return self.data[self.offset - length : self.offset]

    def text(self) -> str:
        return self.piece().rstrip(b"\0").decode("utf-8", "replace")

    def header(self) -> float:
        """Time in seconds of a ``std_msgs/Header``."""
        seconds, nanoseconds = self.number("i"), self.number()
        self.text()  # frame_id
        return seconds + nanoseconds / 1e9


def _plain(data: bytes) -> bytes:
    """The message without the compression of ``ros2 bag record --compression-mode message``."""
    if not data.startswith(ZSTD):
        return data
    zstandard = need("zstandard", "mcap", "compressed messages")
    try:
        size = zstandard.frame_content_size(data)  # believed by the decompressor
        if not 0 < size <= UNPACKED:
            raise ValueError(f"a message that unpacks to {size:,} bytes, at most {UNPACKED:,} are unpacked")
        return bytes(zstandard.ZstdDecompressor().decompress(data))
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


def text(data: bytes) -> str:
    """The text of a ``std_msgs/String``."""
    try:
        return _Cursor(_plain(data)).text()
    except (ValueError, struct.error) as error:
        raise ImageError(f"cannot read a text message: {error}") from error


def picture(data: bytes, kind: str, name: str) -> NDArray[np.uint8]:
    """(H, W, 3) uint8 RGB of an ``Image`` or a ``CompressedImage``."""
    try:
        cursor = _Cursor(_plain(data))
        cursor.header()
        if kind == COMPRESSED:
            said = cursor.text()  # the bytes say it too, but for depth
            if "compressedDepth" in said:
                raise ImageError(f"cannot read {shown(name)}: {shown(said)[:40]!r} is depth, no picture")
            return decode_image(io.BytesIO(cursor.piece()), name)
        return _raw(cursor, name)
    except ImageError:
        raise
    except (ValueError, struct.error) as error:
        raise ImageError(f"cannot read {shown(name)}: {error}") from error


def _raw(cursor: _Cursor, name: str) -> NDArray[np.uint8]:
    height, width, encoding = cursor.number(), cursor.number(), cursor.text()
    cursor.number("B")  # big-endian: of no matter to single bytes
    step, data = cursor.number(), cursor.piece()
    if encoding not in ENCODINGS:
        raise ImageError(
            f"cannot read {shown(name)}: encoding {shown(encoding)[:20]!r}, expected {', '.join(ENCODINGS)}; "
            "record it as one of these"
        )
    channels, order = ENCODINGS[encoding]
    fits = 0 < height * width <= MAX_PIXELS and step >= width * channels and height * step <= len(data)
    if not fits:
        raise ImageError(
            f"cannot read {shown(name)}: {height} × {width} of {encoding} in rows of {step} and {len(data):,} bytes"
        )
    rows = np.frombuffer(data, np.uint8, height * step).reshape(height, step)
    pixels = rows[:, : width * channels].reshape(height, width, channels)
    return np.ascontiguousarray(pixels[..., order])
