"""Events and frames as a rosbag2 file, without ROS: through ``rosbags`` (extra ``ros``)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PIL import Image

from bideta.images.reading import shown
from bideta.live.events import Event

BAG_VERSION: Literal[8] = 8  # read by every ROS 2 since Humble
QUALITY = 90  # of the JPEG frames


class RosBag:
    """Topics ``/bideta/contact`` (std_msgs/String, JSON) and ``/bideta/image`` (sensor_msgs/CompressedImage)."""

    def __init__(self, path: str | Path) -> None:
        try:
            from rosbags.rosbag2 import Writer
            from rosbags.typesys import Stores, get_typestore
        except ImportError as error:
            raise ImportError("rosbag2 files need rosbags: pip install 'bideta[ros]'") from error
        if Path(path).exists():
            raise FileExistsError(f"{shown(path)} exists already; a bag is a new folder")
        self.name = f"rosbag {shown(path)}"
        self._types = get_typestore(Stores.ROS2_HUMBLE)
        self._writer = Writer(Path(path), version=BAG_VERSION)
        self._writer.open()
        self._open = True
        self._contact = self._topic("/bideta/contact", "std_msgs/msg/String")
        self._image = self._topic("/bideta/image", "sensor_msgs/msg/CompressedImage")

    def write(self, event: Event, image: Any) -> None:
        """The event, and its frame as JPEG, at the time the frame arrived."""
        nanoseconds = round(event.time * 1e9)
        self._put(self._contact, nanoseconds, data=event.to_json())
        buffer = io.BytesIO()
        Image.fromarray(image).save(buffer, "JPEG", quality=QUALITY)
        types = self._types.types
        stamp = types["builtin_interfaces/msg/Time"](sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
        header = types["std_msgs/msg/Header"](stamp=stamp, frame_id="tactile_sensor")
        data = np.frombuffer(buffer.getvalue(), np.uint8)
        self._put(self._image, nanoseconds, header=header, format="jpeg", data=data)

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
