"""Labels while the robot touches."""

from __future__ import annotations

import json
import signal
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from bideta.classifier import Classifier
from bideta.cli._encoding import INCOMPLETE, open_file, open_file_quantities
from bideta.cli._live_source import SOURCE_HELP, open_source, parse_size
from bideta.cli._options import (
    CameraSize,
    EncoderSettings,
    FramesPerSecond,
    SensorsEncoder,
    SourceSeed,
    Threshold,
)
from bideta.cli._settings import parse_settings
from bideta.cli._table import check_place
from bideta.cli._terminal import note
from bideta.cli._threads import threads_for
from bideta.deploy import Frames, GelHealth, OnlineBideta, measure_frames
from bideta.images.files import write_atomic
from bideta.images.looks import sketches
from bideta.live.capture import Capture
from bideta.live.contact import ENTER, LEAVE, ContactDetector
from bideta.live.loop import Live
from bideta.live.sinks import Sink
from bideta.live.sinks.jsonl import JsonLines
from bideta.live.sinks.mcap import McapFile
from bideta.live.sinks.rerun import Rerun
from bideta.live.sinks.ros_messages import Kind, check_kind
from bideta.live.sinks.ros_topic import RosTopic
from bideta.live.sinks.rosbag import RosBag
from bideta.live.sinks.status_line import StatusLine
from bideta.live.sinks.websocket import WebSocket
from bideta.live.sources import Simulated, Source
from bideta.live.statistics import Statistics
from bideta.plugins import load_dataset
from bideta.protocol.draw import draw_support
from bideta.service.choices import DEFAULT_ENCODER, DEFAULT_PRESET, PRESETS
from bideta.service.encoding import encode_frames, encode_one
from bideta.service.plugins import load_plugin
from bideta.service.sensors import OpenSensor, answers_classes

SHOTS = 8  # labelled contacts per class of the simulated sensor
ENOUGH = 1000  # labelled frames to measure on what frames of a press count: more say nearly the same
SCALE = 0.05  # of the simulated dataset: more than enough frames to draw them from

EXAMPLES = """
bideta live --source simulated
bideta live hex.bideta --source camera:D20542 --out events.jsonl
bideta live hex.bideta --source folder:frames/ | jq .label
"""


def main(
    sensor: Annotated[
        Path | None, typer.Argument(help="file written by bideta adapt; not needed with --source simulated")
    ] = None,
    source: Annotated[str, typer.Option(help=SOURCE_HELP)] = "camera",
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            help="JSON lines to append to; -: standard output, which in a terminal is one line that changes",
        ),
    ] = "-",
    websocket: Annotated[int | None, typer.Option(help="port on this machine, 0: any free one")] = None,
    rosbag: Annotated[Path | None, typer.Option(help="new rosbag2 folder (extra ros)")] = None,
    mcap: Annotated[Path | None, typer.Option(help="new MCAP file (extras mcap and ros)")] = None,
    ros_message: Annotated[
        str, typer.Option(help="string: std_msgs/String, JSON; classification: vision_msgs/Classification")
    ] = "string",
    ros_topic: Annotated[str, typer.Option(help="ROS 2 topic, e.g. /bideta/contact (extra ros)")] = "",
    zenoh_router: Annotated[str, typer.Option(help="where ROS 2 nodes meet")] = "127.0.0.1:7447",
    rerun: Annotated[Path | None, typer.Option(help="recording to write, .rrd (extra rerun)")] = None,
    seconds: Annotated[float | None, typer.Option(help="stop after so long")] = None,
    fps: FramesPerSecond = None,
    size: CameraSize = "",
    window: Annotated[int, typer.Option(min=1, help="contacts answered jointly")] = 256,
    threshold: Threshold = ENTER,
    statistics: Annotated[Path | None, typer.Option(help="JSON with rates and latencies to write")] = None,
    encoder: SensorsEncoder = None,
    settings: EncoderSettings = None,
    seed: SourceSeed = 0,
) -> None:
    """Label contacts while they happen; Ctrl-C stops. Do not touch the sensor during the first half second.

    Only the newest frame is looked at: when the machine is slower than the camera, frames are dropped.
    """
    for path in (statistics, rerun, None if out == "-" else Path(out)):
        check_place(path)
    feed = open_source(source, fps, parse_size(size), seed)
    check_sensor(sensor, feed)
    capture = Capture(feed)
    with closing(feed):
        capture.open()  # before anything that takes time: a camera that is missing is said at once
        measured = None if sensor is None else open_file_quantities(sensor, encoder, settings)
        only_measured = measured is not None and sensor is not None and not answers_classes(sensor)
        opened = (
            measured
            if measured is not None and only_measured
            else open_or_adapt(sensor, feed, encoder, settings or [])
        )
        detector = ContactDetector(enter=threshold, leave=min(LEAVE, threshold))
        online = OnlineBideta(opened.adapted, window=window) if isinstance(opened, OpenSensor) else None
        # The first is slow; no frame waits for it.
        encode_one(opened.encoder, np.zeros((64, 64, 3), np.uint8))
        frames = measure(opened.adapted) if isinstance(opened, OpenSensor) else Frames()
        sinks = make_sinks(
            out, websocket, rosbag, ros_topic, zenoh_router, rerun, mcap, check_kind(ros_message)
        )
        quantities = None if measured is None else measured.adapted.sensor_
        watch = GelHealth(opened.adapted) if isinstance(opened, OpenSensor) else None
        live = Live(capture, opened.encoder, online, sinks, detector, quantities, frames, watch)
        before = signal.signal(signal.SIGTERM, lambda *_: live.stop.set())
        labelled = len(opened.adapted.sensor_.labels) if isinstance(opened, OpenSensor) else 0
        try:
            with threads_for(labelled):  # a frame at a time is small work
                live.run(seconds)
        except KeyboardInterrupt:
            pass  # what was measured is shown
        finally:
            signal.signal(signal.SIGTERM, before)
    show(live.statistics, simulated=isinstance(feed, Simulated))
    if live.statistics.seen < detector.learn_frames:
        note(f"warning: {too_few(live.statistics, detector.learn_frames)}")
    if statistics is not None:
        write_atomic(statistics, json.dumps(live.statistics.summary(), indent=1).encode())
    for line in live.statistics.sink_errors:
        note(f"failed: {line}")
    if live.statistics.sink_errors:
        raise typer.Exit(INCOMPLETE)


def check_sensor(path: Path | None, feed: Source) -> None:
    """Only the simulated source goes without a sensor's file."""
    if path is None and not isinstance(feed, Simulated):
        raise ValueError("which sensor? bideta live SENSOR.bideta …; make the file with: bideta adapt")


def measure(adapted: Classifier) -> Frames:
    """What frames of a press count; a line in a terminal while it is measured."""
    labelled = min(len(adapted.sensor_.labels), ENOUGH)
    title = f"what frames of one press count together: measuring on {labelled:,} labelled frames"
    with threads_for(labelled), Console(stderr=True).status(title):
        return measure_frames(adapted, most=ENOUGH)


def open_or_adapt(path: Path | None, feed: Source, encoder: str | None, pairs: list[str]) -> OpenSensor:
    """The adapted sensor of a file; for the simulated source, one that is adapted now from 8 contacts a class."""
    if path is not None:
        return open_file(path, encoder, pairs)
    assert isinstance(feed, Simulated)  # as checked before
    name = feed.design.name
    dataset = load_dataset("simulated-sitr", scale=SCALE)
    if name not in dataset.sensors:
        raise ValueError(
            f"the simulated {name} has no labelled contacts to adapt from; give a sensor file, or one "
            f"of: {', '.join(dataset.sensors)}"
        )
    loaded = load_plugin("encoder", encoder or DEFAULT_ENCODER, parse_settings(pairs))
    frames = dataset.frames(name, "train")
    rows = draw_support(frames.labels, SHOTS, 0, name)
    labels = np.array(dataset.info.classes)[frames.labels[rows]]
    seen = sketches(frames.images[row] for row in rows)
    adapted = Classifier(**PRESETS[DEFAULT_PRESET])
    adapted.fit(encode_frames(loaded, frames, rows), labels, sketches=seen)
    return OpenSensor(adapted, loaded)


def make_sinks(
    out: str,
    websocket: int | None,
    rosbag: Path | None,
    ros_topic: str,
    router: str,
    rerun: Path | None,
    mcap: Path | None = None,
    message: Kind = "string",
) -> list[Sink]:
    """The sinks that were asked for; their libraries are only imported then."""
    watched = out == "-" and sys.stdout.isatty()
    sinks: list[Sink] = [StatusLine() if watched else JsonLines(out)]
    if websocket is not None:
        sinks.append(WebSocket(websocket))
        note(sinks[-1].name)
    if rosbag is not None:
        sinks.append(RosBag(rosbag, message))
    if mcap is not None:
        sinks.append(McapFile(mcap, message))
    if ros_topic:
        sinks.append(RosTopic(ros_topic, router, message))
    if rerun is not None:
        sinks.append(Rerun(rerun))
    return sinks


def too_few(statistics: Statistics, learnt: int) -> str:
    """Why a run without enough frames has no answer."""
    return (
        f"{statistics.seen} of {statistics.captured} frames were looked at, and the first {learnt} are taken as "
        "untouched: nothing is answered. Begin with half a second without a contact; "
        "pictures of contacts only are labelled by: bideta predict"
    )


def show(statistics: Statistics, simulated: bool) -> None:
    """The figures of the run as a table on standard error."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, value in statistics.summary().items():
        table.add_row(name.replace("_", " "), _text(name, value, simulated))
    Console(stderr=True, highlight=False, markup=False).print(table)


def _text(name: str, value: Any, simulated: bool) -> str:
    if value is None:
        return "–"
    return f"{value:.1%} (simulated)" if name == "accuracy" and simulated else str(value)
