"""What an event is as a ROS 2 message: ``std_msgs/String`` (JSON, everything) or ``vision_msgs/Classification``.

A classification has a header and hypotheses (``class_id``, ``score``), best first; it has none when a contact ended
without an answer. The definitions are given here, so that nothing is looked up on the network.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from bideta.live.events import Event

Kind = Literal["string", "classification"]
FRAME_ID = "tactile_sensor"
TIME, HEADER = "builtin_interfaces/msg/Time", "std_msgs/msg/Header"
HYPOTHESIS = "vision_msgs/msg/ObjectHypothesis"
TYPES: dict[Kind, str] = {"string": "std_msgs/msg/String", "classification": "vision_msgs/msg/Classification"}
DEFINITIONS = {  # in the order in which they need each other
    TIME: "int32 sec\nuint32 nanosec\n",
    HEADER: "builtin_interfaces/Time stamp\nstring frame_id\n",
    TYPES["string"]: "string data\n",
    HYPOTHESIS: "string class_id\nfloat64 score\n",
    TYPES["classification"]: "std_msgs/Header header\nvision_msgs/ObjectHypothesis[] results\n",
}


def check_kind(kind: str) -> Kind:
    """The kind, if it is one."""
    for known in get_args(Kind):
        if kind == known:
            return known
    raise ValueError(f"--ros-message is {kind!r}, expected {' or '.join(get_args(Kind))}")


def type_store() -> Any:
    """The messages that we know, with their bytes, through rosbags."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    for name in (HYPOTHESIS, TYPES["classification"]):
        store.register(get_types_from_msg(DEFINITIONS[name], name))
    return store


def header(types: Any, nanoseconds: int) -> Any:
    """A ``std_msgs/Header`` of the sensor."""
    stamp = types[TIME](sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
    return types[HEADER](stamp=stamp, frame_id=FRAME_ID)


def fields(event: Event, kind: Kind, types: Any) -> dict[str, Any]:
    """The fields of the message that an event is."""
    if kind == "string":
        return {"data": event.to_json()}
    results = [types[HYPOTHESIS](class_id=label, score=float(share)) for label, share in event.top]
    return {"header": header(types, round(event.time * 1e9)), "results": results}
