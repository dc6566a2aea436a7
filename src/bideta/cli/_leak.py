"""Do backgrounds tell the classes? ``bideta data leak``, and the warning of ``bideta adapt``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from bideta.cli._encoding import encode_images
from bideta.cli._options import BatchSize, Download
from bideta.datasets import folder
from bideta.datasets.on_disk.dataset import FileDataset
from bideta.datasets.on_disk.recorded import RecordedDataset
from bideta.deploy.trust.leak import Leak, leak
from bideta.encoders import Encoder
from bideta.images.lazy import Chosen
from bideta.images.reading import shown
from bideta.images.untouched import untouched_folder, untouched_frames
from bideta.service.plugins import load_plugin

LEGEND = (
    "told: presses whose class the backgrounds of all other presses tell; late: the later half of every class's "
    "presses, told by the earlier half; blind: the most that guessing reaches in 99 of 100 recordings, for each; "
    "chance: share of the class with most presses, which always guessing it would reach"
)
SHARPEST = "handmade"  # coarse pixels see the background best


def leak_command(
    root: Annotated[
        Path, typer.Argument(help="folder of class folders, with a folder for each press inside")
    ],
    untouched: Annotated[
        Path | None,
        typer.Option(
            help="frames without contact in folders of the same names; else DIR-untouched beside it, else the first "
            "frame of every press is taken"
        ),
    ] = None,
    encoder: Annotated[
        list[str] | None, typer.Option(help="see: bideta encoders; may be repeated; else what sees most")
    ] = None,
    batch_size: BatchSize = 64,
    download: Download = False,
) -> None:
    """Tell the classes from frames without a contact: what is told is a leak that flatters every figure.

    Presses of one class are often recorded one after the other, while gel and light drift. The class of each press is
    guessed from one background frame, by what the backgrounds of all other presses teach.

    Columns are told, the share of presses whose class is guessed; late, the same for the later half of every class's
    presses by what the earlier half teaches; told blind and late blind, the most that guessing without looking reaches
    in 99 of 100 recordings; chance, the share of the class with most presses.
    """
    dataset = folder.load(root)
    if dataset.sensors != (folder.ONLY,):
        raise ValueError(f"{shown(root)} holds sensor folders; name one of them")
    where = untouched or untouched_folder(root)
    if where is None and single_taps(dataset):
        raise ValueError(
            f"in {shown(root)} every picture is a press of its own, so none shows the background; put the frames of a "
            'press into a folder "press 1", "press 2", …, or give untouched frames (--untouched)'
        )
    print(f"{'encoder':24} {'told':>6} {'told blind':>12} {'late':>10} {'late blind':>12} {'chance':>7}")
    for name in encoder or [SHARPEST]:
        loaded = load_plugin("encoder", name, {}, download=download)
        measured = measure(dataset, where, loaded, batch_size)
        if measured is None:
            raise ValueError(
                f"{shown(root)} has no two classes with two presses each; a leak cannot be measured"
            )
        print(
            f"{name:24} {measured.accuracy:6.1%} {measured.bound:12.1%} {measured.late:10.1%} "
            f"{measured.late_bound:12.1%} {measured.chance:7.1%}"
        )
        print(meaning(measured, where is not None))
    print(LEGEND)


def single_taps(dataset: FileDataset | RecordedDataset) -> bool:
    """Whether there is one picture of every press and nothing without a contact."""
    if isinstance(dataset, RecordedDataset) and dataset.contacts.untouched is not None:
        return False
    presses = dataset.frames(dataset.sensors[0], dataset.info.splits[0]).presses
    return len(np.unique(presses)) == len(presses)


def measure(
    dataset: FileDataset | RecordedDataset, untouched: Path | None, encoder: Encoder, batch_size: int
) -> Leak | None:
    """The leak of one background frame of every press: untouched where there are any, else the first."""
    sensor, split = dataset.sensors[0], dataset.info.splits[0]
    frames = dataset.frames(sensor, split)
    first = np.sort(np.unique(frames.presses, return_index=True)[1])
    pictures: Any = Chosen(frames.images, first)
    if isinstance(dataset, RecordedDataset):
        if dataset.contacts.untouched is not None:
            pictures = Chosen(dataset.contacts.untouched, dataset.rows(sensor, split)[first])
    elif untouched is not None:
        paths = [frames.images.paths[row] for row in first]
        pictures = untouched_frames(paths, dataset.root, untouched)
    encoded = encode_images(encoder, pictures, batch_size)
    return leak(encoded.readouts, frames.labels[first][encoded.rows])


def meaning(measured: Leak, untouched: bool) -> str:
    """One sentence for people."""
    if not measured.found:
        return f"No leak is seen: {measured.presses} backgrounds tell no more than blind guesses would."
    if untouched:
        return (
            "The classes differ in background. Figures within this recording are flattered; record the classes in "
            "mixed order, or subtract each press's own untouched frame, and test on another day."
        )
    return (
        "First frames tell the classes. They may already show the contact: only untouched frames prove a leak "
        "(--untouched)."
    )


def background_warning(
    support: Path, dataset: FileDataset | RecordedDataset, encoder: Encoder, batch_size: int
) -> Iterator[str]:
    """What ``adapt`` says where untouched frames lie beside the support and tell its classes.

    First frames are not asked: they may already touch, and a warning that is often wrong is soon ignored.
    """
    recorded = isinstance(dataset, RecordedDataset)
    untouched = None if recorded else untouched_folder(support)
    known = dataset.contacts.untouched if isinstance(dataset, RecordedDataset) else untouched
    if known is None:
        return
    measured = measure(dataset, untouched, encoder, batch_size)
    if measured is not None and measured.found:
        yield (
            f"your classes differ in background: untouched frames alone tell {measured.told:.0%} of the presses "
            f"(chance {measured.chance:.0%}). Record the classes in mixed order, or subtract them: --minus-untouched"
        )
