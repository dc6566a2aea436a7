"""Events on a ROS 2 topic without ROS: through Zenoh, as rmw_zenoh speaks it (extra ``ros``)."""

from __future__ import annotations

from typing import Any

from bideta.live.events import Event

# The definition and its hash are given, so that nothing is looked up on the network.
STRING = "std_msgs/msg/String"
STRING_DEFINITION = "string data\n"
STRING_HASH = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"


class RosTopic:
    """``std_msgs/String`` messages (JSON) for ROS 2 nodes that run ``rmw_zenoh_cpp``.

    They meet at the Zenoh router (``ros2 run rmw_zenoh_cpp rmw_zenohd``) on ``router``; without one messages
    go nowhere until it appears.
    """

    def __init__(self, topic: str, router: str = "127.0.0.1:7447") -> None:
        try:
            from zenoh_ros2_sdk import ROS2Publisher
        except ImportError as error:
            raise ImportError("ROS 2 topics need zenoh-ros2-sdk: pip install 'bideta[ros]'") from error
        host, _, port = router.rpartition(":")
        if not host or not port.isdigit():
            raise ValueError(f"router is {router!r}, expected host:port such as 127.0.0.1:7447")
        if not topic.startswith("/"):
            raise ValueError(f"topic is {topic!r}, expected a name that begins with /")
        self.name = f"ROS 2 topic {topic}"
        self._publisher = ROS2Publisher(
            topic,
            STRING,
            msg_definition=STRING_DEFINITION,
            type_hash=STRING_HASH,
            node_name="bideta",
            router_ip=host,
            router_port=int(port),
        )

    def write(self, event: Event, image: Any) -> None:
        """Publish the event."""
        self._publisher.publish(data=event.to_json())

    def close(self) -> None:
        """Leave the ROS graph."""
        self._publisher.close()
        self._publisher.session_mgr.close()
