"""Events and frames as one MCAP file, without ROS (extras ``mcap`` and ``ros``); Foxglove opens it as it is."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from bideta.images.reading import shown
from bideta.live.events import Event
from bideta.live.sinks.ros_messages import TYPES, Kind, fields, header, type_store

IMAGE = "sensor_msgs/msg/CompressedImage"


class McapFile:
    """Topics ``/bideta/contact`` and ``/bideta/image`` (PNG: nothing is lost), in the profile ``ros2``."""

    def __init__(self, path: str | Path, message: Kind = "string") -> None:
        try:
            from mcap.writer import Writer

            self._store = type_store()
        except ImportError as error:
            raise ImportError("MCAP files need mcap and rosbags: pip install 'bideta[mcap,ros]'") from error
        if Path(path).exists():
            raise FileExistsError(f"{shown(path)} exists already; choose a new file")
        self.name, self._kind = f"MCAP {shown(path)}", message
        self._file = Path(path).open("wb")  # noqa: SIM115 (closed in close)
        self._writer: Any = Writer(self._file)
        self._writer.start(profile="ros2", library="bideta")
        self._contact = self._channel("/bideta/contact", TYPES[message])
        self._image = self._channel("/bideta/image", IMAGE)

    def write(self, event: Event, image: Any) -> None:
        """The event, and its frame, at the time the frame arrived."""
        nanoseconds, types = round(event.time * 1e9), self._store.types
        self._put(self._contact, TYPES[self._kind], nanoseconds, fields(event, self._kind, types))
        if image is None:
            return
        buffer = io.BytesIO()
        Image.fromarray(image).save(buffer, "PNG", compress_level=1)
        data = np.frombuffer(buffer.getvalue(), np.uint8)
        self._put(
            self._image,
            IMAGE,
            nanoseconds,
            {"header": header(types, nanoseconds), "format": "png", "data": data},
        )

    def close(self) -> None:
        """Write the index; the file can be opened afterwards."""
        if not self._file.closed:
            self._writer.finish()
            self._file.close()

    def _channel(self, topic: str, kind: str) -> int:
        text, _ = self._store.generate_msgdef(kind, ros_version=2)
        schema = self._writer.register_schema(name=kind, encoding="ros2msg", data=text.encode())
        return int(self._writer.register_channel(topic, "cdr", schema))

    def _put(self, channel: int, kind: str, nanoseconds: int, values: dict[str, Any]) -> None:
        data = bytes(self._store.serialize_cdr(self._store.types[kind](**values), kind))
        self._writer.add_message(channel, nanoseconds, data, nanoseconds)
