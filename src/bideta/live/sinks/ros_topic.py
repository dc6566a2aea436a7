"""Events on a ROS 2 topic without ROS: through Zenoh, as rmw_zenoh speaks it (extra ``ros``)."""

from __future__ import annotations

from typing import Any

from bideta.live.events import Event
from bideta.live.sinks.ros_messages import DEFINITIONS, TYPES, Kind, fields

# The hashes are given, so that nothing is looked up on the network.
STRING_HASH = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
HASHES: dict[Kind, str] = {
    "string": STRING_HASH,
    "classification": "RIHS01_f74db28d0eaef3afb78f48bf2161cd709a1383a0309d3454383b25be11345143",
}


class RosTopic:
    """Messages (see ``ros_messages``) for ROS 2 nodes that run ``rmw_zenoh_cpp``.

    They meet at the Zenoh router (``ros2 run rmw_zenoh_cpp rmw_zenohd``) on ``router``; without one messages
    go nowhere until it appears.
    """

    def __init__(self, topic: str, router: str = "127.0.0.1:7447", message: Kind = "string") -> None:
        try:
            from zenoh_ros2_sdk import ROS2Publisher
            from zenoh_ros2_sdk.session import ZenohSession
        except ImportError as error:
            raise ImportError("ROS 2 topics need zenoh-ros2-sdk: pip install 'bideta[ros]'") from error
        host, _, port = router.rpartition(":")
        if not host or not port.isdigit():
            raise ValueError(f"router is {router!r}, expected host:port such as 127.0.0.1:7447")
        if not topic.startswith("/"):
            raise ValueError(f"topic is {topic!r}, expected a name that begins with /")
        self.name, self._kind = f"ROS 2 topic {topic}", message
        session = ZenohSession.get_instance(host, int(port))
        for name, definition in DEFINITIONS.items():
            if name != TYPES[message]:
                session.register_message_type(definition, name)
        self._known = session.store.types
        self._publisher = ROS2Publisher(
            topic,
            TYPES[message],
            msg_definition=DEFINITIONS[TYPES[message]],
            type_hash=HASHES[message],
            node_name="bideta",
            router_ip=host,
            router_port=int(port),
        )

    def write(self, event: Event, image: Any) -> None:
        """Publish the event."""
        self._publisher.publish(**fields(event, self._kind, self._known))

    def close(self) -> None:
        """Leave the ROS graph."""
        self._publisher.close()
        self._publisher.session_mgr.close()
