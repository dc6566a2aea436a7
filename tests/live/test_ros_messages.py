"""Events as ROS 2 messages: their bytes, and files that other readers take."""

from __future__ import annotations

import json
import socket
import struct
import time

import numpy as np
import pytest

from bideta.live.events import Event
from bideta.live.sinks.ros_messages import TYPES, check_kind, fields, type_store
from bideta.readers import open_contacts
from support import formats

pytest.importorskip("rosbags", reason="needs bideta[ros]")
EVENT = Event(1_700_000_000.25, 7, True, "nut", 0.75, [("nut", 0.75), ("key", 0.25)])


def text(words, offset):
    """A CDR string that begins at an offset (behind the four bytes of the byte order)."""
    padding = -offset % 4
    content = words.encode() + b"\0"
    return bytes(padding) + struct.pack("<I", len(content)) + content


def test_the_bytes_of_a_classification_are_those_of_cdr():
    store = type_store()
    kind = TYPES["classification"]
    message = store.types[kind](**fields(EVENT, "classification", store.types))
    nanoseconds = round(EVENT.time * 1e9)
    expected = struct.pack("<iI", nanoseconds // 10**9, nanoseconds % 10**9)
    expected += text("tactile_sensor", len(expected))
    expected += bytes(-len(expected) % 4) + struct.pack("<I", 2)
    for label, score in EVENT.top:
        expected += text(label, len(expected))
        expected += bytes(-len(expected) % 8) + struct.pack("<d", score)
    assert bytes(store.serialize_cdr(message, kind)) == b"\x00\x01\x00\x00" + expected


def test_a_topic_of_classifications_reaches_a_zenoh_subscriber():
    zenoh = pytest.importorskip("zenoh", reason="needs bideta[ros]")
    pytest.importorskip("zenoh_ros2_sdk", reason="needs bideta[ros]")
    from bideta.live.sinks.ros_topic import HASHES, RosTopic

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = zenoh.Config()
    config.insert_json5("mode", '"router"')
    config.insert_json5("listen/endpoints", f'["tcp/127.0.0.1:{port}"]')
    config.insert_json5("scouting/multicast/enabled", "false")
    got = []
    with zenoh.open(config) as router:
        router.declare_subscriber("0/bideta/contact/**", lambda sample: got.append(sample))
        sink = RosTopic("/bideta/contact", f"127.0.0.1:{port}", "classification")
        deadline = time.monotonic() + 20
        while not got and time.monotonic() < deadline:
            sink.write(EVENT, None)
            time.sleep(0.05)
        sink.close()
    store, kind = type_store(), TYPES["classification"]
    assert store.hash_rihs01(kind) == HASHES["classification"]
    assert str(got[0].key_expr).endswith(
        f"vision_msgs::msg::dds_::Classification_/{HASHES['classification']}"
    )
    message = store.deserialize_cdr(bytes(got[0].payload), kind)
    assert [(one.class_id, one.score) for one in message.results] == EVENT.top


def test_an_unknown_kind_is_refused():
    assert check_kind("string") == "string"
    with pytest.raises(ValueError, match="--ros-message is 'detection', expected string or classification"):
        check_kind("detection")


def test_a_bag_of_classifications_can_be_read_back(tmp_path):
    from rosbags.highlevel import AnyReader

    from bideta.live.sinks.rosbag import RosBag

    sink = RosBag(tmp_path / "bag", "classification")
    sink.write(EVENT, formats.presses(0)[0].frames[0])
    sink.close()
    with AnyReader([tmp_path / "bag"]) as reader:
        told = [
            reader.deserialize(raw, connection.msgtype)
            for connection, _, raw in reader.messages()
            if connection.topic == "/bideta/contact"
        ]
    assert [(one.class_id, one.score) for one in told[0].results] == EVENT.top
    assert told[0].header.frame_id == "tactile_sensor"


@pytest.mark.parametrize("message", ["string", "classification"])
def test_an_mcap_file_can_be_read_by_others_and_by_us(tmp_path, message):
    pytest.importorskip("mcap")
    from mcap.reader import make_reader
    from rosbags.highlevel import AnyReader

    from bideta.live.sinks.mcap import McapFile

    path, frames = tmp_path / "touch.mcap", formats.presses(0)[0].frames
    sink = McapFile(path, message)
    for frame in frames:
        sink.write(EVENT, frame)
    sink.close()
    sink.close()
    with path.open("rb") as file:
        topics = [channel.topic for _, channel, _ in make_reader(file).iter_messages()]
    assert topics.count("/bideta/contact") == len(frames)
    with AnyReader([path]) as reader:
        told = next(
            reader.deserialize(raw, connection.msgtype)
            for connection, _, raw in reader.messages()
            if connection.topic == "/bideta/contact"
        )
    label = json.loads(told.data)["label"] if message == "string" else told.results[0].class_id
    assert label == "nut"
    contacts = open_contacts(path, cut="whole", frames=0)
    assert np.array_equal(np.stack(contacts.pictures[:]), frames)  # PNG: nothing is lost
    with pytest.raises(FileExistsError, match="choose a new file"):
        McapFile(path)
