"""Events and frames as a rosbag2 file, without ROS: through ``rosbags`` (extra ``ros``)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PIL import Image

from bideta.images.reading import shown
from bideta.live.events import Event
from bideta.live.sinks.ros_messages import TYPES, Kind, fields, header, type_store

BAG_VERSION: Literal[8] = 8  # read by every ROS 2 since Humble
QUALITY = 90  # of the JPEG frames


class RosBag:
    """Topics ``/bideta/contact`` (see ``ros_messages``) and ``/bideta/image`` (sensor_msgs/CompressedImage)."""

    def __init__(self, path: str | Path, message: Kind = "string") -> None:
        try:
            from rosbags.rosbag2 import Writer

            self._types = type_store()
        except ImportError as error:
            raise ImportError("rosbag2 files need rosbags: pip install 'bideta[ros]'") from error
        if Path(path).exists():
            raise FileExistsError(f"{shown(path)} exists already; a bag is a new folder")
        self.name = f"rosbag {shown(path)}"
        self._kind = message
        self._writer = Writer(Path(path), version=BAG_VERSION)
        self._writer.open()
        self._open = True
        self._contact = self._topic("/bideta/contact", TYPES[message])
        self._image = self._topic("/bideta/image", "sensor_msgs/msg/CompressedImage")

    def write(self, event: Event, image: Any) -> None:
        """The event, and its frame as JPEG, at the time the frame arrived."""
        nanoseconds = round(event.time * 1e9)
        types = self._types.types
        self._put(self._contact, nanoseconds, **fields(event, self._kind, types))
        buffer = io.BytesIO()
        Image.fromarray(image).save(buffer, "JPEG", quality=QUALITY)
        data = np.frombuffer(buffer.getvalue(), np.uint8)
        self._put(self._image, nanoseconds, header=header(types, nanoseconds), format="jpeg", data=data)

    def close(self) -> None:
        """Write the index; the bag can be played afterwards."""
        if self._open:
            self._open = False
            self._writer.close()

    def _topic(self, name: str, kind: str) -> Any:
        return self._writer.add_connection(name, kind, typestore=self._types)

    def _put(self, connection: Any, nanoseconds: int, **fields: Any) -> None:
        message = self._types.types[connection.msgtype](**fields)
        self._writer.write(connection, nanoseconds, self._types.serialize_cdr(message, connection.msgtype))
