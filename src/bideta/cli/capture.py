"""Record labelled contacts of a live sensor into class folders."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bideta.cli._live_source import SOURCE_HELP, open_source, parse_size
from bideta.cli._options import CameraSize, FramesPerSecond, SourceSeed, Threshold
from bideta.cli._terminal import note, progress
from bideta.datasets.folder import class_folders
from bideta.images.background import FOLDER
from bideta.images.folders import image_tree
from bideta.images.reading import shown
from bideta.live.capture import Capture
from bideta.live.contact import ENTER, LEARN_FRAMES, LEAVE, ContactDetector
from bideta.live.recorder import Recorder
from bideta.live.sources import Simulated
from bideta.service.lerobot_files import Episodes
from bideta.spelling import counted

EPISODE_RATE = 25.0  # frames per second of a dataset where nobody says it

EXAMPLES = """
bideta capture support/ --label coin --source camera:D20542
bideta capture support/ --label coin --source simulated --count 8
"""


def main(
    folder: Annotated[Path, typer.Argument(help="support folder; every label is a folder in it")],
    label: Annotated[str, typer.Option(help="what is being touched")],
    count: Annotated[int, typer.Option(min=1, help="frames to save")] = 24,
    per_press: Annotated[int, typer.Option(min=1, help="frames of one press, at most")] = 3,
    source: Annotated[str, typer.Option(help=SOURCE_HELP)] = "camera",
    fps: FramesPerSecond = None,
    size: CameraSize = "",
    seconds: Annotated[float | None, typer.Option(min=1.0, help="stop after so long")] = None,
    threshold: Threshold = ENTER,
    seed: SourceSeed = 0,
    lerobot: Annotated[
        bool,
        typer.Option(
            "--lerobot",
            help="FOLDER is a LeRobot dataset: each press an episode, the label its task; it may grow",
        ),
    ] = False,
) -> None:
    """Record contacts of one object; do not touch the sensor while the untouched gel is learnt (half a second).

    Press, lift, press elsewhere: a few frames of each press are kept, in a folder for the press (with --per-press 1 one
    frame, in the class folder). They resemble each other, and the sensor's promises (reliability, --risk, --novelty)
    count presses, not frames. The first untouched frames go into a folder background/ beside the labels, for adapt. A
    simulated source presses objects of its own choice, whatever the label says.
    """
    if label in (".", "..", "") or label.startswith(".") or "/" in label or "\\" in label or "\0" in label:
        raise ValueError(f"--label is {label!r}, expected a plain folder name")
    if label == FOLDER:
        raise ValueError(
            f"--label is {label!r}: that folder holds untouched frames and is no class; choose another"
        )
    detector = ContactDetector(enter=threshold, leave=min(LEAVE, threshold))
    capture = Capture(open_source(source, fps, parse_size(size), seed))
    if isinstance(capture.source, Simulated):
        note(
            "note: simulated objects are pressed at random, whatever the label; labelled ones: bideta sim contacts"
        )
    recorder = Recorder(capture, detector, folder / label, count, per_press)
    episodes, pressed = (Episodes(folder, fps or EPISODE_RATE) if lerobot else None), defaultdict(list)
    if episodes is not None:
        recorder.keep = lambda press, picture: pressed[press].append(picture)
    try:
        with progress(f"capture {label}") as step:
            recorder.run(seconds, lambda done: step(done, count))
    except KeyboardInterrupt:
        pass  # what was saved stays
    if not recorder.total:
        in_time = "" if seconds is None else f" within {seconds:g} s"
        raise ValueError(
            f"no contact was seen from {capture.source.name}{in_time}; the first {LEARN_FRAMES} frames are taken for "
            f"the untouched sensor, then press harder, or lower --threshold ({threshold:g})"
        )
    if episodes is None:
        show_counts(folder)
    else:
        for frames in pressed.values():
            episodes.add(label, frames)
        episodes.close()
        note(f"{shown(folder)}: {counted(len(pressed), 'episode')} of {shown(label)} added")
    if recorder.total < count:
        note(f"note: stopped after {recorder.total} of {count} frames")


def show_counts(folder: Path) -> None:
    """How many labelled frames every class has, and of how many presses."""
    table = Table(box=None, pad_edge=False)
    table.add_column("label")
    table.add_column("frames", justify="right")
    table.add_column("presses", justify="right")
    for entry in class_folders(folder).values():
        frames = image_tree(entry)
        presses = {path if path.parent == entry else path.parent for path in frames}
        table.add_row(shown(entry.name), str(len(frames)), str(len(presses)))
    Console(highlight=False, markup=False).print(table)
