"""A ROS 2 node: ``sensor_msgs/Image`` in, ``std_msgs/String`` (JSON) out. Needs a ROS 2 installation (rclpy).

    bideta adapt support/ -o sensor.bideta
    python examples/ros2_node.py --ros-args -p sensor:=sensor.bideta -p image:=/digit/image_raw

Without ROS use ``bideta live --ros-topic /bideta/contact`` (Zenoh) or ``--rosbag DIR`` instead.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from bideta import Bideta, load_encoder
from bideta.deploy import OnlineBideta
from bideta.live.contact import ContactDetector


def to_rgb(message: Any) -> np.ndarray:
    """(H, W, 3) RGB of an ``rgb8`` or ``bgr8`` image message; its rows may be padded."""
    if message.encoding not in ("rgb8", "bgr8"):
        raise ValueError(f"image encoding is {message.encoding!r}, expected rgb8 or bgr8")
    rows = np.frombuffer(message.data, np.uint8).reshape(message.height, message.step)
    image = rows[:, : 3 * message.width].reshape(message.height, message.width, 3)
    return np.ascontiguousarray(image[..., ::-1] if message.encoding == "bgr8" else image)


class Answers:
    """One image message in, a JSON text out (None where nothing new is touched)."""

    def __init__(self, path: str) -> None:
        sensor = Bideta.load(path)
        self.encoder = load_encoder(sensor.sensor_.origin["encoder"], **sensor.sensor_.origin["settings"])
        self.online = OnlineBideta(sensor)
        self.detector = ContactDetector()

    def __call__(self, message: Any) -> str | None:
        image = to_rgb(message)
        touch = self.detector.see(image)
        if not touch.contact or not touch.changed:
            return None
        readouts = self.encoder.encode(image[None])
        answer = self.online.predict_one(tuple(H[0] for H in readouts))
        return json.dumps({"label": str(answer.label), "probability": float(answer.proba.max())})


def main() -> None:
    import rclpy
    from rclpy.node import Node
    from rclpy.qos import qos_profile_sensor_data  # depth 5, best effort: old frames are dropped
    from sensor_msgs.msg import Image
    from std_msgs.msg import String

    class Touch(Node):
        def __init__(self) -> None:
            super().__init__("bideta")
            self.declare_parameter("sensor", "sensor.bideta")
            self.declare_parameter("image", "/digit/image_raw")
            self.answers = Answers(self.get_parameter("sensor").value)
            self.publisher = self.create_publisher(String, "/bideta/contact", 10)
            topic = self.get_parameter("image").value
            self.create_subscription(Image, topic, self.on_image, qos_profile_sensor_data)

        def on_image(self, message: Image) -> None:
            text = self.answers(message)
            if text is not None:
                self.publisher.publish(String(data=text))

    rclpy.init()
    rclpy.spin(Touch())


if __name__ == "__main__":
    main()
