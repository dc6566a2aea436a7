"""A folder of labelled contacts (classes or quantities), or any other input → an adapted sensor in one file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from bideta import sensor_file
from bideta.classifier import Classifier
from bideta.cli._earlier import From, earlier_warnings, open_earlier
from bideta.cli._encoding import exit_incomplete
from bideta.cli._hidden import hidden_in_turn
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
from bideta.cli._support import copies, dataset_notes, encode_support, oddities, open_support
from bideta.cli._table import check_place
from bideta.cli._targets import Split, Targets, encode_targets, fit_quantities, parse_numbers, promise
from bideta.cli._terminal import note, progress
from bideta.cli._threads import threads_for
from bideta.datasets import folder
from bideta.datasets.on_disk.dataset import FileDataset
from bideta.datasets.on_disk.recorded import RecordedDataset
from bideta.datasets.on_disk.target_table import TargetTable, lists_quantities, read_targets
from bideta.deploy import Tuned, keep_earlier, tune
from bideta.encoders import Encoder
from bideta.extensions.presses import alone
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
from bideta.spelling import counted

USUAL = "sensor.bideta"  # the file to write where none is named
# How an input tells which pictures are of one touch.
IN_FOLDERS, IN_TABLES = "a folder for each press, --presses", "a column or array press"

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
    if targets is None and lists_quantities(support):
        targets = support
    if earlier is not None and targets is not None:
        raise ValueError("--from keeps labelled contacts of classes; it does not go with --targets")
    table, periods = None, parse_numbers("--period", period)
    if targets is not None:
        refuse_reading(format, frames, read)
        table = read_targets(targets, support, split)
        if table.words:
            note(f"columns without a number are left out: {', '.join(map(shown, table.words))}")
    elif labels or split or period:
        raise ValueError("--labels, --split and --period go with --targets, the table of quantities")
    if table is not None and (table.labels or not labels):
        if tuned:
            raise ValueError(
                "--tune chooses settings of classes in folders; with --targets it needs --labels and those"
            )
        method = parameters(preset, prior) if labels else None
        adapt_table(table, periods, method, out, see(table.contacts), batch_size)
        return
    presses = presses or folder.named_presses(support)
    dataset = open_support(support, presses, format, reading(frames, read))
    if isinstance(dataset, RecordedDataset):
        presses = dataset.contacts.presses is not None
    sight = see(labelled_contacts(dataset)[1])
    before = None if earlier is None else open_earlier(earlier, sight)
    labelled = encode_support(dataset, sight, batch_size, presses)
    readouts, method = labelled.encoded.readouts, parameters(preset, prior)
    adapter: Classifier | Tuned = Classifier(**method)
    tuned_to = {}
    if tuned:
        if presses and alone(labelled.labels, labelled.presses).all():
            raise ValueError("--tune needs two presses of some class; here every class has one")
        with threads_for(len(readouts[0])):
            adapter = tune(readouts, labelled.names, preset=method, presses=labelled.presses)
        tuned_to = {"tuned": str(adapter)}
        note(f"settings: {adapter}" if adapter.changed else "nothing better found, preset kept")
    origin = sight.origin(labelled.encoded, **tuned_to)
    looks = labelled.encoded.sketches
    with threads_for(len(readouts[0])):
        fitted = adapter.fit(
            readouts,
            labelled.names,
            labelled.presses,
            origin=origin,
            background=sight.background,
            sketches=looks,
        )
    if before is not None and earlier is not None:
        # Some thirty small fits: on two threads they take up to twenty times as long where others use the cores too.
        contacts = len(readouts[0]) + len(before.sensor_.labels)
        with threads_for(contacts), progress("weigh earlier contacts") as step:
            kept = keep_earlier(fitted, before, name=earlier.name, step=step)
        fitted = kept.adapted
        note(f"{shown(earlier)}: {kept}")
        for line in earlier_warnings(kept, earlier):
            note(f"warning: {line}")
    if table is None:
        out = output_place(out, USUAL)
        fitted.save(out)
    else:
        known = encode_targets(table, sight.encoder, batch_size, sight.others(table.contacts))
        quantities = fit_quantities(table, periods, *known, origin, sight.background)
        out = output_place(out, USUAL)
        sensor_file.save(fitted.sensor(), out, quantities.sensor_)
        for line in promise(quantities):
            note(line)
    for line in (
        *dataset_notes(dataset, presses, table.place if table else None),
        *oddities(labelled, fitted.sensor()),
        *copies(labelled),
    ):
        note(f"warning: {line}")
    if not minus_untouched:
        for line in background_warning(support, dataset, sight.encoder, batch_size):
            note(f"warning: {line}")
    note(f"{shown(out)}: {labelled.summary()}, encoder {sight.name}")
    note(f"encoder trained on: {trained_on(sight.encoder, sight.settings)}")
    with threads_for(len(readouts[0])):
        note(hidden_in_turn(fitted, IN_FOLDERS if isinstance(dataset, FileDataset) else IN_TABLES))
    exit_incomplete(labelled.encoded)


def adapt_table(
    table: TargetTable,
    periods: dict[str, float],
    method: dict[str, Any] | None,
    out: Path | None,
    sight: Sight,
    batch_size: int,
) -> None:
    """Write a sensor that answers the quantities of a table and, with the settings ``method``, its column label."""
    encoded, values, presses = encode_targets(table, sight.encoder, batch_size, sight.others(table.contacts))
    origin, picture = sight.origin(encoded), sight.background
    adapted = fit_quantities(table, periods, encoded, values, presses, origin, picture)
    told = ""
    if method is None:
        out = output_place(out, USUAL)
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
        out = output_place(out, USUAL)
        sensor_file.save(classes.sensor(), out, adapted.sensor_)
        told = f"{counted(len(classes.classes_), 'class')} of the column label, "
        with threads_for(len(known)):
            note(hidden_in_turn(classes, IN_TABLES))
    for line in promise(adapted):
        note(line)
    note(
        f"{shown(out)}: {told}{', '.join(table.columns)} from {counted(len(values), 'labelled image')}, "
        f"encoder {sight.name}"
    )
    note(f"encoder trained on: {trained_on(sight.encoder, sight.settings)}")
    exit_incomplete(encoded)


def trained_on(encoder: Encoder, settings: Mapping[str, Any]) -> str:
    """What the encoder has seen, as far as anybody knows."""
    known = encoder.info.trained_on or "not known"
    given = [name for name in settings if name.rpartition(".")[2] in ("weights", "random_weights")]
    return f"{known}; unless {', '.join(given)}, as given, says otherwise" if given else known
