from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from bideta.live.events import Event
from bideta.live.sinks import jsonl
from bideta.live.sinks.jsonl import JsonLines
from support.live_doubles import touched

EVENT = Event(
    time=1_700_000_000.25,
    frame=7,
    contact=True,
    label="Schlüssel",
    probability=0.75,
    top=[("Schlüssel", 0.75)],
)


def test_json_lines_are_appended_and_readable(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    for _ in range(2):
        sink = JsonLines(path)
        sink.write(EVENT, None)
        sink.close()
        sink.close()
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0])["label"] == "Schlüssel"
    assert "truth" not in json.loads(lines[0])


def test_standard_output_stays_open(capsys: pytest.CaptureFixture[str]) -> None:
    sink = JsonLines("-")
    sink.write(EVENT, None)
    sink.close()
    print("still here")
    assert capsys.readouterr().out.splitlines()[1] == "still here"


def test_lines_after_a_torn_one_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(EVENT.to_json() + "\n" + EVENT.to_json()[:20])  # its writer was killed
    sink = JsonLines(path)
    sink.write(EVENT, None)
    sink.close()
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert json.loads(lines[2])["frame"] == 7


def test_a_pipe_that_nobody_reads_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as out, os.fdopen(writer, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(jsonl, "GOODBYE", 0.1)
        sink = JsonLines("-")
        begun = time.monotonic()
        for _ in range(3000):  # some 600 kB; a pipe holds 64
            sink.write(EVENT, None)
        with pytest.raises(TimeoutError, match=r"nobody read [0-9]+ of the events"):
            sink.close()
        assert time.monotonic() - begun < 5
        os.set_blocking(reader, False)
        whole, _, rest = out.read().rpartition(b"\n")
        assert all(json.loads(line)["frame"] == 7 for line in whole.splitlines())
        assert len(rest) < jsonl.PIECE


def test_a_slow_reader_of_a_pipe_gets_every_event(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        sink = JsonLines("-")
        for _ in range(1000):
            sink.write(EVENT, None)
        lines: list[bytes] = []
        with os.fdopen(reader, "rb") as out:
            thread = threading.Thread(target=lambda: lines.extend(out.readline() for _ in range(1000)))
            thread.start()
            sink.close()
            thread.join(10)
    assert [json.loads(line)["frame"] for line in lines] == [7] * 1000


def test_a_named_pipe_without_a_reader_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="nobody reads the pipe"):
        JsonLines(tmp_path / "pipe")


def test_every_websocket_reader_gets_the_events() -> None:
    pytest.importorskip("websockets", reason="needs bideta[live]")
    from websockets.sync.client import connect

    from bideta.live.sinks.websocket import WebSocket

    sink = WebSocket(0)
    assert sink._server.socket.getsockname()[0] == "127.0.0.1"  # other machines cannot listen
    try:
        with connect(f"ws://127.0.0.1:{sink.port}") as one, connect(f"ws://127.0.0.1:{sink.port}") as two:
            deadline = time.monotonic() + 5
            while len(sink._readers) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            sink.write(EVENT, None)
            assert json.loads(one.recv(timeout=5))["frame"] == 7
            assert json.loads(two.recv(timeout=5))["label"] == "Schlüssel"
    finally:
        sink.close()


def test_a_page_of_another_origin_is_refused_and_a_slow_reader_loses_old_events() -> None:
    pytest.importorskip("websockets", reason="needs bideta[live]")
    from queue import Queue

    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    from bideta.live.sinks.websocket import WAITING, WebSocket

    sink = WebSocket(0)
    try:
        with pytest.raises(InvalidStatus, match="403"):
            connect(f"ws://127.0.0.1:{sink.port}", origin="https://example.org")  # type: ignore[arg-type]
        slow: Queue[str] = Queue(WAITING)
        sink._readers.add(slow)
        for frame in range(WAITING + 10):
            sink.write(Event(0.0, frame, True), None)
        assert json.loads(slow.get())["frame"] == 10
        sink._readers.discard(slow)
    finally:
        sink.close()


def test_a_rosbag_can_be_read_back(tmp_path: Path) -> None:
    pytest.importorskip("rosbags", reason="needs bideta[ros]")
    from rosbags.highlevel import AnyReader

    from bideta.live.sinks.rosbag import RosBag

    sink = RosBag(tmp_path / "bag")
    sink.write(EVENT, touched(3))
    sink.close()
    sink.close()
    with AnyReader([tmp_path / "bag"]) as reader:
        found = {}
        for connection, stamp, raw in reader.messages():
            found[connection.topic] = (stamp, reader.deserialize(raw, connection.msgtype))
    stamp, message = found["/bideta/contact"]
    assert abs(stamp - 1_700_000_000_250_000_000) < 1000  # seconds as a float hold a quarter of a microsecond
    assert json.loads(message.data)["label"] == "Schlüssel"
    image = found["/bideta/image"][1]
    assert image.format == "jpeg"
    assert bytes(image.data[:2]) == b"\xff\xd8"
    with pytest.raises(FileExistsError, match="a bag is a new folder"):
        RosBag(tmp_path / "bag")


def test_a_ros_topic_reaches_a_zenoh_subscriber() -> None:
    zenoh = pytest.importorskip("zenoh", reason="needs bideta[ros]")
    pytest.importorskip("zenoh_ros2_sdk", reason="needs bideta[ros]")
    from bideta.live.sinks.ros_topic import STRING_HASH, RosTopic

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
        sink = RosTopic("/bideta/contact", f"127.0.0.1:{port}")
        deadline = time.monotonic() + 20
        while not got and time.monotonic() < deadline:
            sink.write(EVENT, None)
            time.sleep(0.05)
        sink.close()
    assert got, "no message arrived"
    assert str(got[0].key_expr) == f"0/bideta/contact/std_msgs::msg::dds_::String_/{STRING_HASH}"
    payload = bytes(got[0].payload)
    assert payload[:4] == b"\x00\x01\x00\x00"  # little-endian CDR
    length = int.from_bytes(payload[4:8], "little")
    assert json.loads(payload[8 : 8 + length - 1])["frame"] == 7


def test_topic_and_router_must_make_sense() -> None:
    pytest.importorskip("zenoh_ros2_sdk", reason="needs bideta[ros]")
    from bideta.live.sinks.ros_topic import RosTopic

    with pytest.raises(ValueError, match="begins with /"):
        RosTopic("contact")
    with pytest.raises(ValueError, match="host:port"):
        RosTopic("/contact", "somewhere")


def test_a_rerun_recording_is_written(tmp_path: Path) -> None:
    pytest.importorskip("rerun", reason="needs bideta[rerun]")
    from bideta.live.sinks.rerun import Rerun

    path = tmp_path / "touch.rrd"
    sink = Rerun(path)
    rng = np.random.default_rng(0)
    for frame in range(3):
        sink.write(
            Event(1e9 + frame, frame, frame < 2, "coin"), rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)
        )
    sink.close()
    content = path.read_bytes()
    assert content[:3] == b"RRF"
    assert len(content) > 3 * 64 * 64 * 3  # the pictures are in it
