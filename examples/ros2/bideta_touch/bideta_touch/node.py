"""A ROS 2 node: ``sensor_msgs/Image`` in, ``vision_msgs/Classification`` or ``std_msgs/String`` (JSON) out."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from bideta.live.touch_numbers import TouchNumbers


def to_rgb(message: Any) -> np.ndarray:
    """(H, W, 3) RGB of an ``rgb8`` or ``bgr8`` image message; its rows may be padded."""
    if message.encoding not in ("rgb8", "bgr8"):
        raise ValueError(f"image encoding is {message.encoding!r}, expected rgb8 or bgr8")
    rows = np.frombuffer(message.data, np.uint8).reshape(message.height, message.step)
    image = rows[:, : 3 * message.width].reshape(message.height, message.width, 3)
    return np.ascontiguousarray(image[..., ::-1] if message.encoding == "bgr8" else image)


class Answers:
    """One image message in; the classes with their probabilities, best first, out (None: nothing is touched)."""

    def __init__(self, path: str) -> None:
        self.touch = TouchNumbers(path)
        self.classes = [str(name) for name in self.touch.adapted.classes_]

    def __call__(self, message: Any) -> list[tuple[str, float]] | None:
        contact, *shares, _ = self.touch.see(to_rgb(message)).values()
        if not contact:
            return None
        return sorted(zip(self.classes, shares, strict=True), key=lambda one: -one[1])


def as_json(answer: list[tuple[str, float]]) -> str:
    """The text of the string message."""
    label, share = answer[0]
    return json.dumps({"label": label, "probability": share})


def main() -> None:
    import rclpy
    from rclpy.node import Node
    from rclpy.qos import qos_profile_sensor_data  # depth 5, best effort: old frames are dropped
    from sensor_msgs.msg import Image
    from std_msgs.msg import String
    from vision_msgs.msg import Classification, ObjectHypothesis

    class Touch(Node):
        def __init__(self) -> None:
            super().__init__("bideta")
            for name, value in (
                ("sensor", ""),
                ("image", "image_raw"),
                ("message", "classification"),
                ("top", 3),
            ):
                self.declare_parameter(name, value)
            self.top = self.get_parameter("top").value
            self.text = self.get_parameter("message").value == "string"
            self.answers = Answers(self.get_parameter("sensor").value)
            self.publisher = self.create_publisher(String if self.text else Classification, "contact", 10)
            topic = self.get_parameter("image").value
            self.create_subscription(Image, topic, self.on_image, qos_profile_sensor_data)

        def on_image(self, message: Image) -> None:
            answer = self.answers(message)
            if answer is None:
                return
            if self.text:
                self.publisher.publish(String(data=as_json(answer)))
                return
            results = [ObjectHypothesis(class_id=label, score=share) for label, share in answer[: self.top]]
            self.publisher.publish(Classification(header=message.header, results=results))

    rclpy.init()
    rclpy.spin(Touch())


if __name__ == "__main__":
    main()
