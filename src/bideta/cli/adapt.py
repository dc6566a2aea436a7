"""A folder of labelled contacts (classes or quantities), or any other input → an adapted sensor in one file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from bideta import sensor_file
from bideta.classifier import Classifier
from bideta.cli._earlier import From, open_earlier
from bideta.cli._encoding import encode_images, exit_incomplete
from bideta.cli._inputs import labelled as labelled_contacts
from bideta.cli._inputs import reading, refuse_reading
from bideta.cli._leak import background_warning
from bideta.cli._options import (
    BatchSize,
    Download,
    EncoderSettings,
    Format,
    FramesPerPress,
    MinusUntouched,
    Reading,
    SomeEncoder,
)
from bideta.cli._places import output_place
from bideta.cli._settings import parse_settings
from bideta.cli._sight import Sight, open_sight
from bideta.cli._table import check_place
from bideta.cli._targets import Split, Targets, encode_targets, fit_quantities, parse_numbers, promise
from bideta.cli._terminal import note
from bideta.datasets import folder
from bideta.datasets.on_disk.dataset import FileDataset
from bideta.datasets.on_disk.recorded import RecordedDataset
from bideta.datasets.on_disk.target_table import TargetTable, read_targets
from bideta.deploy import Tuned, hidden_answers, keep_earlier, tune
from bideta.encoders import Encoder
from bideta.extensions.presses import alone, press_of
from bideta.images.folders import is_press
from bideta.images.reading import shown
from bideta.service.choices import (
    ALIASES,
    DEFAULT_ENCODER,
    DEFAULT_PRESET,
    PRESETS,
    PRIORS,
    check_choice,
    parameters,
)
from bideta.service.encoding import Encoded

USUAL = "sensor.bideta"  # the file to write where none is named

EXAMPLES = """
bideta adapt support/
bideta adapt support/ -o hex.bideta --tune
bideta adapt today/ --from old.bideta -o new.bideta
bideta adapt support/ -o paper.bideta --encoder twin-tvl --preset paper
"""


def main(
    support: Annotated[
        Path,
        typer.Argument(
            help="folder of class folders with labelled images, or any input with labels: bideta help bring-your-data; "
            "with --targets: folder of images"
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="file to write; sensor.bideta if left out")
    ] = None,
    encoder: SomeEncoder = DEFAULT_ENCODER,
    settings: EncoderSettings = None,
    preset: Annotated[
        str, typer.Option(help=f"{', '.join(PRESETS)}; paper is classification")
    ] = DEFAULT_PRESET,
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
    targets: Targets = None,
    labels: Annotated[
        bool, typer.Option("--labels", help="with --targets: learn the classes of the folder as well")
    ] = False,
    split: Split = None,
    period: Annotated[
        list[str] | None, typer.Option(help="angle among the quantities, e.g. turn_deg=360; may be repeated")
    ] = None,
    batch_size: BatchSize = 64,
    download: Download = False,
    background: Annotated[
        Path | None,
        typer.Option(
            help="untouched picture of the sensor, or a folder of them (their median); SUPPORT/background unless given"
        ),
    ] = None,
    minus_untouched: MinusUntouched = False,
    earlier: From = None,
    format: Format = "",
    frames: FramesPerPress = None,
    read: Reading = None,
) -> None:
    """Adapt to a sensor from a folder of labelled contacts, one folder per class.

    With --targets it learns quantities (depth, tilt, force, …) instead of classes, with --labels --targets both: one
    file answers both.

    Frames of one press are nearly alike. In folders called "press 1", "press 2", … inside the class folders (with
    --presses: in folders of any name) they are left out together wherever the sensor is tested on its own labelled
    contacts: --tune here, reliability, --risk and --novelty in predict.

    With --from a few contacts will do after a gel change or on another day: see bideta help new-gel.
    """
    preset = ALIASES.get(preset, preset)
    check_choice("--preset", preset, PRESETS)
    if prior is not None:
        check_choice("--prior", prior, PRIORS)
    check_place(out)
    see = partial(
        open_sight, support, encoder, parse_settings(settings), background, minus_untouched, download
    )
    if earlier is not None and targets is not None:
        raise ValueError("--from keeps labelled contacts of classes; it does not go with --targets")
    table, periods = None, parse_numbers("--period", period)
    if targets is not None:
        refuse_reading(format, frames, read)
        table = read_targets(targets, support, split)
    elif labels or split or period:
        raise ValueError("--labels, --split and --period go with --targets, the table of quantities")
    if table is not None and (table.labels or not labels):
        if tuned:
            raise ValueError(
                "--tune chooses settings of classes in folders; with --targets it needs --labels and those"
            )
        method = parameters(preset, prior) if labels else None
        out = output_place(out, USUAL)
        adapt_table(table, periods, method, out, see(table.contacts), batch_size)
        return
    presses = presses or folder.named_presses(support)
    dataset = open_support(support, presses, format, reading(frames, read))
    if isinstance(dataset, RecordedDataset):
        presses = dataset.contacts.presses is not None
    out = output_place(out, USUAL)
    sight = see(labelled_contacts(dataset)[1])
    before = None if earlier is None else open_earlier(earlier, sight)
    labelled = encode_support(dataset, sight, batch_size, presses)
    readouts, method = labelled.encoded.readouts, parameters(preset, prior)
    adapter: Classifier | Tuned = Classifier(**method)
    tuned_to = {}
    if tuned:
        if presses and alone(labelled.labels, labelled.presses).all():
            raise ValueError("--tune needs two presses of some class; here every class has one")
        adapter = tune(readouts, labelled.names, preset=method, presses=labelled.presses)
        tuned_to = {"tuned": str(adapter)}
        note(f"settings: {adapter}" if adapter.changed else "nothing better found, preset kept")
    origin = sight.origin(labelled.encoded, **tuned_to)
    looks = labelled.encoded.sketches
    fitted = adapter.fit(
        readouts, labelled.names, labelled.presses, origin=origin, background=sight.background, sketches=looks
    )
    if before is not None and earlier is not None:
        kept = keep_earlier(fitted, before, name=earlier.name)
        fitted = kept.adapted
        note(f"{shown(earlier)}: {kept}")
    if table is None:
        fitted.save(out)
    else:
        known = encode_targets(table, sight.encoder, batch_size, sight.others(table.contacts))
        quantities = fit_quantities(table, periods, *known, origin, sight.background)
        sensor_file.save(fitted.sensor(), out, quantities.sensor_)
        for line in promise(quantities):
            note(line)
    for line in (*dataset_notes(dataset, presses), *oddities(labelled), *copies(labelled)):
        note(f"warning: {line}")
    if not minus_untouched:
        for line in background_warning(support, dataset, sight.encoder, batch_size):
            note(f"warning: {line}")
    note(f"{shown(out)}: {labelled.summary()}, encoder {sight.name}")
    note(f"encoder trained on: {trained_on(sight.encoder, sight.settings)}")
    note(hidden_in_turn(hidden_answers(fitted)))
    exit_incomplete(labelled.encoded)


def adapt_table(
    table: TargetTable,
    periods: dict[str, float],
    method: dict[str, Any] | None,
    out: Path,
    sight: Sight,
    batch_size: int,
) -> None:
    """Write a sensor that answers the quantities of a table and, with the settings ``method``, its column label."""
    encoded, values, presses = encode_targets(table, sight.encoder, batch_size, sight.others(table.contacts))
    origin, picture = sight.origin(encoded), sight.background
    adapted = fit_quantities(table, periods, encoded, values, presses, origin, picture)
    told = ""
    if method is None:
        adapted.save(out)
    else:
        names = np.array(table.labels or ())[encoded.rows]
        known = np.flatnonzero(names != "")
        if not len(known):
            raise ValueError("--labels: the column label of the table is empty; nothing was written")
        readouts = tuple(H[known] for H in encoded.readouts)
        # Without sketches: the look of the file is that of all pictures of the table.
        classes = Classifier(**method).fit(
            readouts, names[known], presses[known], origin=origin, background=picture
        )
        sensor_file.save(classes.sensor(), out, adapted.sensor_)
        told = f"{len(classes.classes_)} classes of the column label, "
        note(hidden_in_turn(hidden_answers(classes)))
    for line in promise(adapted):
        note(line)
    note(
        f"{shown(out)}: {told}{', '.join(table.columns)} from {len(values)} labelled images, "
        f"encoder {sight.name}"
    )
    note(f"encoder trained on: {trained_on(sight.encoder, sight.settings)}")
    exit_incomplete(encoded)


def trained_on(encoder: Encoder, settings: Mapping[str, Any]) -> str:
    """What the encoder has seen, as far as anybody knows."""
    known = encoder.info.trained_on or "not known"
    given = [name for name in settings if name.rpartition(".")[2] in ("weights", "random_weights")]
    return f"{known}; unless {', '.join(given)}, as given, says otherwise" if given else known


def hidden_in_turn(right: NDArray[np.bool_]) -> str:
    """How many labelled contacts the others tell, in words."""
    if not len(right):
        return "hidden in turn: cannot be measured, no class has two labelled presses"
    return f"hidden in turn: {right.mean():.1%} of {len(right)} labelled contacts are told by the others"


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


def open_support(
    support: Path, presses: bool, format: str = "", settings: dict[str, Any] | None = None
) -> FileDataset | RecordedDataset:
    """The labelled contacts; an error where the input holds several sensors."""
    dataset = folder.load(support, presses=presses, format=format, **(settings or {}))
    if isinstance(dataset, RecordedDataset):
        if len(dataset.sensors) != 1 or len(dataset.info.splits) != 1:
            raise ValueError(
                f"{shown(support)} holds the sensors {', '.join(map(shown, dataset.sensors))} and the splits "
                f"{', '.join(map(shown, dataset.info.splits))}; adapt takes one of each (a manifest: --read split=NAME)"
            )
        return dataset
    if dataset.sensors != (folder.ONLY,):
        labelled = "support" if "support" in dataset.sensors else dataset.sensors[0]
        raise ValueError(
            f"{shown(support)} holds sensor folders ({', '.join(map(shown, dataset.sensors))}); adapt takes one "
            f"sensor. If they are classes with a folder for each press: --presses, or call them press 1, press 2, … "
            f"If not: bideta adapt {shown(support / labelled)} …"
        )
    return dataset


def dataset_notes(dataset: FileDataset | RecordedDataset, presses: bool) -> list[str]:
    """What of the input is not learnt from."""
    if isinstance(dataset, FileDataset):
        return folder.overlooked(dataset.root, presses)
    unlabelled = sum(not label for label in dataset.contacts.labels or ())
    return [f"{unlabelled} contacts without a label left out"] if unlabelled else []


def encode_support(
    dataset: FileDataset | RecordedDataset, sight: Sight, batch_size: int, presses: bool
) -> Labelled:
    """The readable images of every class; an error where a class has none."""
    (frames, contacts), classes = labelled_contacts(dataset), dataset.info.classes
    encoded = encode_images(
        sight.encoder, contacts.pictures, batch_size, sight.others(contacts), contacts.broken
    )
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
