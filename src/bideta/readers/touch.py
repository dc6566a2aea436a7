"""opentouch's ``.touch`` files: HDF5 with packed chunks of camera frames. A folder of them is a set of recordings.

A chunk is a packed list of sensors, their streams, and the events of each; an event is a name (32 bytes), a time
(8 bytes) and for a camera height, width, channels and the raw pixels. Labels are entries of the recording's payload.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.contact import ENTER
from bideta.images.folders import natural
from bideta.images.reading import MAX_PIXELS, ImageError, shown
from bideta.readers import Contacts, ReaderInfo
from bideta.readers._extra import need
from bideta.readers._recordings import FRAMES, Frame, Recording, broken_off, contacts_of
from bideta.readers.hdf5 import datasets, is_hdf5

INFO = ReaderInfo(
    name="touch",
    title="opentouch recordings (.touch)",
    extra="arrays",
    reference="https://github.com/lasr-lab/opentouch-interface",
)
TEXTS = ("text_input", "selectbox", "radio")  # kinds of payload that can be a label
CONFIG = 2**24  # bytes
HEADER = 40 + 12  # of a camera frame: stream, time, height, width, channels
REFUSALS = (
    OSError,
    RuntimeError,
    KeyError,
    ValueError,
    struct.error,
    UnicodeDecodeError,
    MemoryError,
    TypeError,
)


def sniff(path: Path) -> bool:
    """A ``.touch`` file, or a folder of them."""
    if path.is_file():
        return path.suffix == ".touch" and is_hdf5(path)
    return path.is_dir() and any(path.glob("*.touch"))


def load(
    path: Path,
    sensor: str = "",
    label: str = "",
    cut: str = "found",
    frames: int = FRAMES,
    threshold: float = ENTER,
) -> Contacts:
    """The presses of one camera; ``label`` names the entry of the payload that is the label; empty: the first text."""
    files = [path] if path.is_file() else sorted(path.glob("*.touch"), key=lambda file: natural(file.name))
    recordings, lost = [], []
    for file in files:
        try:
            config = _config(file)
            camera = sensor or _only_camera(config, file)
            name = file.name if len(files) > 1 or path.is_dir() else file.stem
            recordings.append(Recording(name, partial(_frames, file, camera), _label(config, label, file)))
        except ValueError as error:
            lost.append(str(error))
    if not recordings:
        raise ValueError(lost[0] if lost else f"no .touch files in {shown(path)}")
    return contacts_of(recordings, cut, frames, threshold, lost)


def _config(path: Path) -> dict[str, Any]:
    need("h5py", "arrays", ".touch files")
    try:
        place = _dataset(path, "config")
        if place.shape != () or place.dtype.itemsize > CONFIG:
            raise ValueError("its config is no text")
        text = place[()]
        config = json.loads(text if isinstance(text, bytes | str) and len(text) <= CONFIG else "null")
        if not isinstance(config, dict):
            raise ValueError("its config is no JSON object")
        return config
    except (*REFUSALS, RecursionError) as error:
        raise ValueError(f"cannot read {shown(path)} as an opentouch recording: {error}") from error


def _dataset(path: Path, name: str) -> Any:
    found, refused = datasets(path)
    if name not in found:
        raise ValueError(f"{name}: {refused.get(name, 'it is not there, or in another file')}")
    return found[name]


def _only_camera(config: dict[str, Any], path: Path) -> str:
    names = [str(one.get("sensor_name")) for one in config.get("sensors") or () if isinstance(one, dict)]
    if len(names) != 1:
        raise ValueError(
            f"{shown(path)} holds {len(names)} sensors ({', '.join(map(shown, names))}); --read sensor=NAME names one"
        )
    return names[0]


def _label(config: dict[str, Any], wanted: str, path: Path) -> str:
    """The value of a payload entry. The dashboard keeps what was entered as the entry's default."""
    entries = [one for one in config.get("payload") or () if isinstance(one, dict)]
    for entry in entries:
        if entry.get("label") == wanted or (not wanted and entry.get("type") in TEXTS):
            return str(entry.get("current_value", entry.get("default", "")) or "")[:200]
    if wanted:
        known = ", ".join(str(entry.get("label")) for entry in entries)
        raise ValueError(f"{shown(path)} has no payload {wanted!r}; it has {shown(known) or 'none'}")
    return ""


def _frames(path: Path, sensor: str) -> Iterator[Frame]:
    try:
        chunks = _dataset(path, "sensor_chunks")
        if len(chunks.shape) != 1 or (chunks.dtype.metadata or {}).get("vlen") != np.uint8:
            raise ValueError(
                f"sensor_chunks are {chunks.shape} of {chunks.dtype}, expected one row of bytes each"
            )
        for number in range(chunks.shape[0]):
            for event in camera_events(chunks[number].tobytes(), sensor):
                yield Frame(partial(_pixels, event, path))
    except REFUSALS as error:
        if isinstance(error, ImageError):
            raise
        raise broken_off(path, error) from error


def camera_events(blob: bytes, sensor: str) -> Iterator[bytes]:
    """The events of a sensor's camera in a packed chunk; every length is checked against what is left."""
    offset = 0

    def number() -> int:
        nonlocal offset
        (value,) = struct.unpack_from("<I", blob, offset)
        offset += 4
        return int(value)

    def piece() -> bytes:
        nonlocal offset
        length = number()
        if length > len(blob) - offset:
            raise ValueError(f"a part of {length:,} bytes where {len(blob) - offset:,} are left")
        offset += length
        return blob[offset - length : offset]

    for _ in range(number()):
        name = piece().decode()
        for _ in range(number()):
            stream = piece().decode()
            for _ in range(number()):
                event = piece()
                if (name, stream) == (sensor, "camera"):
                    yield event


def _pixels(event: bytes, path: Path) -> NDArray[np.uint8]:
    """(H, W, 3) of a camera event."""
    if len(event) < HEADER:
        raise ImageError(f"cannot read a frame of {shown(path)}: it has {len(event)} bytes")
    height, width, channels = struct.unpack_from("<III", event, 40)
    if (
        channels != 3
        or height * width > MAX_PIXELS
        or height * width * 3 != len(event) - HEADER
        or not height * width
    ):
        raise ImageError(
            f"cannot read a frame of {shown(path)}: it says {height} × {width} × {channels} and has "
            f"{len(event) - HEADER:,} bytes"
        )
    return np.frombuffer(event, np.uint8, offset=HEADER).reshape(height, width, 3)
