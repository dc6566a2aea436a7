"""``bideta adapt``: a folder of labelled contacts → an adapted sensor in one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from bideta import presets
from bideta.cli._sensor import DEFAULT_ENCODER, encode, exit_incomplete, note_origin, report_broken
from bideta.cli._settings import load_plugin, parse_settings
from bideta.cli._table import check_place
from bideta.cli._terminal import note
from bideta.datasets import folder
from bideta.datasets.on_disk.dataset import FileDataset
from bideta.deploy.tune import tune
from bideta.estimator import Bideta
from bideta.images.folders import is_press
from bideta.images.reading import shown
from bideta.method import leave_one_out
from bideta.plugins import load_encoder

PRIORS = ("support", "none", "auto", "mixed")
PRESETS = {"classification": presets.CLASSIFICATION, "ranking": presets.RANKING, "robot": presets.ROBOT}


def main(
    support: Annotated[Path, typer.Argument(help="folder of class folders with labelled images")],
    out: Annotated[Path, typer.Option("--out", "-o", help="file to write, e.g. sensor.bideta")],
    encoder: Annotated[str, typer.Option(help="see: bideta encoders")] = DEFAULT_ENCODER,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="setting of the encoder, name=value; may be repeated")
    ] = None,
    preset: Annotated[str, typer.Option(help=", ".join(PRESETS))] = "classification",
    prior: Annotated[
        str | None,
        typer.Option(
            help="support: queries come in the support's proportions; none: in any; auto: estimated from the batch; "
            "mixed: half way between; the preset's own if left out"
        ),
    ] = None,
    tuned: Annotated[
        bool, typer.Option("--tune", help="choose the memory's settings on the labelled contacts")
    ] = False,
    presses: Annotated[
        bool,
        typer.Option(
            "--presses", help="SUPPORT/CLASS/PRESS/*: images in the same folder are frames of one press"
        ),
    ] = False,
    batch_size: Annotated[int, typer.Option(min=1, help="images in memory at a time")] = 64,
    download: Annotated[
        bool, typer.Option("--download", help="fetch the encoder's weights if they are not here")
    ] = False,
) -> None:
    """Adapt to a sensor from a folder of labelled contacts, one folder per class.

    Frames of one press are nearly alike. In folders called "press 1", "press 2", … inside the class folders (with
    --presses: in folders of any name) they are left out together wherever the sensor is tested on its own labelled
    contacts: --tune here, reliability, --risk and --novelty in predict.
    """
    if preset not in PRESETS:
        raise ValueError(f"--preset is {preset!r}, expected {' or '.join(PRESETS)}")
    if prior is not None and prior not in PRIORS:
        raise ValueError(f"--prior is {prior!r}, expected {' or '.join(PRIORS)}")
    check_place(out)
    presses = presses or folder.named_presses(support)
    dataset = open_support(support, presses)
    frames = dataset.frames(folder.ONLY, folder.ALL)
    chosen = parse_settings(settings or [])
    loaded = load_plugin(load_encoder, encoder, {**chosen, "download": True} if download else chosen)
    encoded = encode(loaded, frames.images.paths, batch_size)
    report_broken(encoded, len(frames))
    labels, groups = frames.labels[encoded.rows], frames.groups[encoded.rows]
    counts = np.bincount(labels, minlength=len(dataset.info.classes))
    empty = [name for name, count in zip(dataset.info.classes, counts, strict=True) if not count]
    if empty:
        raise ValueError(f"no image of {', '.join(map(shown, empty))} can be read; nothing was written")
    parameters = {**PRESETS[preset]}
    if prior is not None:
        parameters["prior"] = None if prior == "none" else prior
    names = np.array(dataset.info.classes)[labels]
    if tuned and presses and leave_one_out.alone(labels, groups).all():
        raise ValueError("--tune needs two presses of some class; here every class has one")
    if tuned:
        choice = tune(encoded.readouts, names, preset=parameters, groups=groups)
        adapted = choice.fit(encoded.readouts, names, groups)
        note(f"settings: {choice}")
    else:
        adapted = Bideta(**parameters).fit(encoded.readouts, names, groups)
    adapted.origin_ = note_origin(encoder, chosen, loaded, encoded)
    if tuned:
        adapted.origin_["tuned"] = str(choice)
    adapted.save(out)
    odd = doubts(dataset.info.classes, labels, groups, presses)
    same = copies(encoded.readouts[0], names, groups)
    for line in (*folder.overlooked(support, presses), *odd, *same):
        note(f"warning: {line}")
    fewest, most = counts.min(), counts.max()
    each = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    plural = "class" if len(counts) == 1 else "classes"
    images = "image" if most == 1 else "images"
    of = f", {len(np.unique(groups))} presses" if presses else ""
    note(f"{shown(out)}: {len(counts)} {plural}, {each} labelled {images} each{of}, encoder {encoder}")
    exit_incomplete(encoded)


def open_support(support: Path, presses: bool) -> FileDataset:
    """The labelled images; an error where the folder holds several sensors."""
    dataset = folder.load(support, presses=presses)
    if dataset.sensors != (folder.ONLY,):
        labelled = "support" if "support" in dataset.sensors else dataset.sensors[0]
        raise ValueError(
            f"{shown(support)} holds sensor folders ({', '.join(map(shown, dataset.sensors))}); adapt takes one "
            f"sensor. If they are classes with a folder for each press: --presses, or call them press 1, press 2, … "
            f"If not: bideta adapt {shown(support / labelled)} …"
        )
    return dataset


def doubts(
    classes: Sequence[str], labels: NDArray[np.int64], groups: NDArray[np.int64], presses: bool
) -> Iterator[str]:
    """What is odd about a support that can be adapted to all the same."""
    pressed = np.bincount(leave_one_out.presses(labels, groups)[0])  # presses of every class
    single = [shown(name) for name, count in zip(classes, pressed, strict=True) if count == 1]
    if len(classes) == 1:
        yield "there is one class only, so every query will be given it"
    if all(map(is_press, classes)):
        yield "all classes are called presses; was the folder around them meant, with a folder for each class?"
    if single and pressed.max() > 1:
        what = "press" if presses else "labelled image"
        yield f"one {what} only of {', '.join(single)}; others have up to {pressed.max()}"
    if presses and pressed.max() == 1:
        yield "one press of every class: how reliable answers are cannot be measured; press each object again"
    elif presses and pressed.sum() == len(labels):
        yield "no press has two images, so every image is taken for a press of its own"


def copies(
    readout: NDArray[np.floating], names: NDArray[np.str_], groups: NDArray[np.int64]
) -> Iterator[str]:
    """What is odd about images that are the same to the encoder."""
    first: dict[bytes, int] = {}
    pairs = [(first.setdefault(row.tobytes(), i), i) for i, row in enumerate(readout)]
    both = [(names[i], names[j]) for i, j in pairs if names[i] != names[j]]
    if both:
        more = f", and {len(both) - 1} more like it" if len(both) > 1 else ""
        yield f"one image is labelled {shown(both[0][0])} and {shown(both[0][1])}{more}"
    again = sum(names[i] == names[j] and groups[i] != groups[j] for i, j in pairs)
    if again:
        yield (
            f"copies of labelled images as presses of their own: {again}. Copies vouch for each other, and promises "
            "made from them are too bold"
        )
