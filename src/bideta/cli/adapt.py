"""A folder of labelled contacts → an adapted sensor in one file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from bideta.cli._encoding import encode_images, exit_incomplete
from bideta.cli._leak import background_warning
from bideta.cli._options import BatchSize, Download, EncoderSettings, SomeEncoder
from bideta.cli._settings import parse_settings
from bideta.cli._table import check_place
from bideta.cli._terminal import note
from bideta.datasets import folder
from bideta.datasets.on_disk.dataset import FileDataset
from bideta.deploy import Tuned, tune
from bideta.encoders import Encoder
from bideta.estimator import Bideta
from bideta.extensions.presses import alone, press_of
from bideta.images.folders import is_press
from bideta.images.reading import shown
from bideta.service.choices import DEFAULT_ENCODER, DEFAULT_PRESET, PRESETS, PRIORS, check_choice, parameters
from bideta.service.encoding import Encoded
from bideta.service.plugins import load_plugin
from bideta.service.sensors import describe_origin


def main(
    support: Annotated[Path, typer.Argument(help="folder of class folders with labelled images")],
    out: Annotated[Path, typer.Option("--out", "-o", help="file to write, e.g. sensor.bideta")],
    encoder: SomeEncoder = DEFAULT_ENCODER,
    settings: EncoderSettings = None,
    preset: Annotated[str, typer.Option(help=", ".join(PRESETS))] = DEFAULT_PRESET,
    prior: Annotated[
        str | None,
        typer.Option(
            help="support: queries come in the support's proportions; none: in any; relaxed, auto: the batch is looked "
            "at first; mixed: half way between; the preset's own if left out"
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
    batch_size: BatchSize = 64,
    download: Download = False,
) -> None:
    """Adapt to a sensor from a folder of labelled contacts, one folder per class.

    Frames of one press are nearly alike. In folders called "press 1", "press 2", … inside the class folders (with
    --presses: in folders of any name) they are left out together wherever the sensor is tested on its own labelled
    contacts: --tune here, reliability, --risk and --novelty in predict.
    """
    check_choice("--preset", preset, PRESETS)
    if prior is not None:
        check_choice("--prior", prior, PRIORS)
    check_place(out)
    presses = presses or folder.named_presses(support)
    dataset = open_support(support, presses)
    encoder_settings = parse_settings(settings)
    loaded = load_plugin("encoder", encoder, encoder_settings, download=download)
    labelled = encode_support(dataset, loaded, batch_size, presses)
    readouts, method = labelled.encoded.readouts, parameters(preset, prior)
    adapter: Bideta | Tuned = Bideta(**method)
    tuned_to = {}
    if tuned:
        if presses and alone(labelled.labels, labelled.presses).all():
            raise ValueError("--tune needs two presses of some class; here every class has one")
        adapter = tune(readouts, labelled.names, preset=method, presses=labelled.presses)
        tuned_to = {"tuned": str(adapter)}
        note(f"settings: {adapter}")
    origin = describe_origin(
        encoder, encoder_settings, loaded.fingerprint, readouts, labelled.encoded.colour, **tuned_to
    )
    adapter.fit(readouts, labelled.names, labelled.presses, origin=origin).save(out)
    for line in (*folder.overlooked(support, presses), *oddities(labelled), *copies(labelled)):
        note(f"warning: {line}")
    for line in background_warning(support, dataset, loaded, batch_size):
        note(f"warning: {line}")
    note(f"{shown(out)}: {labelled.summary()}, encoder {encoder}")
    exit_incomplete(labelled.encoded)


@dataclass(frozen=True)
class Labelled:
    """The labelled images that could be read."""

    encoded: Encoded
    classes: tuple[str, ...]
    labels: NDArray[np.int64]  # (n,) into classes
    presses: NDArray[np.int64]  # (n,)
    in_presses: bool  # the folders say which images are frames of one press

    @property
    def names(self) -> NDArray[np.str_]:
        """(n,) class names."""
        return np.array(self.classes)[self.labels]

    def summary(self) -> str:
        """How many classes, images and presses."""
        counts = np.bincount(self.labels)
        fewest, most = counts.min(), counts.max()
        plural = "class" if len(counts) == 1 else "classes"
        each = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        images = "image" if most == 1 else "images"
        of = f", {len(np.unique(self.presses))} presses" if self.in_presses else ""
        return f"{len(counts)} {plural}, {each} labelled {images} each{of}"


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


def encode_support(dataset: FileDataset, encoder: Encoder, batch_size: int, presses: bool) -> Labelled:
    """The readable images of every class; an error where a class has none."""
    frames, classes = dataset.frames(folder.ONLY, folder.ALL), dataset.info.classes
    encoded = encode_images(encoder, frames.images.paths, batch_size)
    labels = frames.labels[encoded.rows]
    empty = [name for label, name in enumerate(classes) if label not in labels]
    if empty:
        raise ValueError(f"no image of {', '.join(map(shown, empty))} can be read; nothing was written")
    return Labelled(encoded, tuple(classes), labels, frames.presses[encoded.rows], presses)


def oddities(labelled: Labelled) -> Iterator[str]:
    """What is odd about a support; none of it prevents adapting."""
    presses = np.bincount(press_of(labelled.labels, labelled.presses)[0])  # of every class
    single = [shown(name) for name, count in zip(labelled.classes, presses, strict=True) if count == 1]
    if len(labelled.classes) == 1:
        yield "there is one class only, so every query will be given it"
    if all(map(is_press, labelled.classes)):
        yield "all classes are called presses; was the folder around them meant, with a folder for each class?"
    if single and presses.max() > 1:
        what = "press" if labelled.in_presses else "labelled image"
        yield f"one {what} only of {', '.join(single)}; others have up to {presses.max()}"
    if labelled.in_presses and presses.max() == 1:
        yield "one press of every class: how reliable answers are cannot be measured; press each object again"
    elif labelled.in_presses and presses.sum() == len(labelled.labels):
        yield "no press has two images, so every image is taken for a press of its own"


def copies(labelled: Labelled) -> Iterator[str]:
    """What is odd about images that are the same to the encoder."""
    names, presses = labelled.names, labelled.presses
    first: dict[bytes, int] = {}
    pairs = [(first.setdefault(row.tobytes(), i), i) for i, row in enumerate(labelled.encoded.readouts[0])]
    both = [(names[i], names[j]) for i, j in pairs if names[i] != names[j]]
    if both:
        more = f", and {len(both) - 1} more like it" if len(both) > 1 else ""
        yield f"one image is labelled {shown(both[0][0])} and {shown(both[0][1])}{more}"
    again = sum(names[i] == names[j] and presses[i] != presses[j] for i, j in pairs)
    if again:
        yield (
            f"copies of labelled images as presses of their own: {again}. Copies vouch for each other, and promises "
            "made from them are too bold"
        )
