"""A folder of class folders, or any other labelled input → accuracy, macro-F1, MRR and R@1 of an adapted sensor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from bideta.checks import check_number
from bideta.cli._compare import print_comparison
from bideta.cli._drawing import check_drawing, draw_confusion
from bideta.cli._encoding import (
    encode_queries,
    exit_incomplete,
    open_file,
    open_file_quantities,
    warn_of_batch,
    warn_of_pictures,
)
from bideta.cli._evaluate_quantities import evaluate_quantities
from bideta.cli._inputs import labelled, reading, refuse_reading
from bideta.cli._options import (
    Background,
    BatchSize,
    EncoderSettings,
    Format,
    FramesPerPress,
    MinusUntouched,
    Reading,
    SensorFile,
    SensorsEncoder,
)
from bideta.cli._places import check_order
from bideta.cli._seen import seen_warning
from bideta.cli._targets import Coverage, Split, Targets
from bideta.cli._terminal import note
from bideta.cli._threads import threads_for
from bideta.datasets import folder
from bideta.datasets.on_disk.dataset import FileDataset
from bideta.datasets.on_disk.recorded import RecordedDataset
from bideta.datasets.on_disk.target_table import lists_quantities, read_targets
from bideta.deploy import pool_presses
from bideta.images.reading import shown
from bideta.protocol import metrics
from bideta.quantity_sensor import COVERAGE
from bideta.service.answers import answer

EXAMPLES = """
bideta evaluate hex.bideta labelled/
bideta evaluate hex.bideta labelled/ --compare --picture confusion.png
"""


def main(
    sensor: SensorFile,
    queries: Annotated[
        Path,
        typer.Argument(
            help="folder of class folders, or any labelled input; classes as in the support; with --targets: folder of "
            "images"
        ),
    ],
    picture: Annotated[Path | None, typer.Option(help="confusion matrix to draw, e.g. confusion.png")] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare", help="beside logistic regression, LDA, BIDETA and ROBOT on the same labels"
        ),
    ] = False,
    encoder: SensorsEncoder = None,
    settings: EncoderSettings = None,
    presses: Annotated[
        bool,
        typer.Option(
            "--presses", help="QUERIES/CLASS/PRESS/*: a folder for each press inside the class folders"
        ),
    ] = False,
    targets: Targets = None,
    split: Split = None,
    coverage: Coverage = COVERAGE,
    batch_size: BatchSize = 64,
    background: Background = None,
    minus_untouched: MinusUntouched = False,
    format: Format = "",
    frames: FramesPerPress = None,
    read: Reading = None,
) -> None:
    """Measure an adapted sensor on images whose classes are known (a folder per class).

    With --targets: on images whose quantities are known. The picture then shows predicted against true.
    """
    if picture is not None:
        check_drawing(picture)
    check_order(sensor, queries)
    if targets is None and lists_quantities(queries):
        targets = queries
    if targets is not None:
        if compare:
            raise ValueError(
                "--compare is about classes; leave it out with --targets, the table of quantities"
            )
        refuse_reading(format, frames, read)
        check_number("--coverage", coverage, float, above=0, below=1, hint="a share, such as 0.9")
        table = read_targets(targets, queries, split)
        measured = open_file_quantities(sensor, encoder, settings, background)
        if measured is None:
            raise ValueError(
                f"{shown(sensor)} answers classes only; leave out --targets, or adapt with --targets"
            )
        encoded = encode_queries(measured, table.contacts, batch_size, queries, minus_untouched)
        warn_of_pictures(measured, encoded)
        evaluate_quantities(measured, encoded, table, coverage, picture)
        return
    if split is not None:
        raise ValueError("--split goes with --targets, the table of quantities")
    presses = presses or folder.named_presses(queries)
    dataset = folder.load(queries, presses=presses, format=format, **reading(frames, read))
    if isinstance(dataset, RecordedDataset):
        presses = dataset.contacts.presses is not None
    if len(dataset.sensors) != 1 or (isinstance(dataset, FileDataset) and dataset.sensors != (folder.ONLY,)):
        raise ValueError(
            f"{shown(queries)} holds sensor folders ({', '.join(dataset.sensors)}); expected class folders "
            "(with a folder for each press inside: --presses)"
        )
    truths, contacts = labelled(dataset)
    opened = open_file(sensor, encoder, settings, background)
    classes = [str(name) for name in opened.adapted.classes_]
    strangers = [name for name in dataset.info.classes if name not in classes]
    if strangers:
        raise ValueError(
            f"{shown(queries)} has classes that the sensor does not know: {', '.join(map(shown, strangers))}. "
            f"Known: {', '.join(map(shown, classes))}"
        )
    encoded = encode_queries(opened, contacts, batch_size, queries, minus_untouched)
    position = np.array([classes.index(name) for name in dataset.info.classes])
    truth = position[truths.labels[encoded.rows]]
    with threads_for(len(encoded.rows)):
        answers = answer(opened.adapted, encoded.readouts, sketches=encoded.sketches)
    warn_of_batch(answers)
    result, ranking = answers.result, answers.order
    print_measures(truth, ranking)
    if presses:
        first, pooled = pool_presses(result.proba, truths.presses[encoded.rows])
        share = metrics.accuracy(truth[first], pooled.argmax(axis=1))
        Console(highlight=False).print(f"presses   {len(first)}, accuracy {share:.4f} with one answer each")
    if compare:
        print_comparison(opened.adapted.sensor_, encoded.readouts, truth, ranking[:, 0])
    seen = seen_warning(opened.adapted.sensor_, encoded.readouts, truth, ranking[:, 0])
    left_out = folder.overlooked(queries, presses) if isinstance(dataset, FileDataset) else ()
    for line in (*seen, *left_out):
        note(f"warning: {line}")
    absent = [name for i, name in enumerate(classes) if i not in truth]
    if absent:
        note(f"note: no queries of {', '.join(map(shown, absent))}; such a class counts 0 in macro-F1")
    if picture is not None:
        draw_confusion(metrics.confusion(truth, ranking[:, 0], len(classes)), classes, picture)
    exit_incomplete(encoded)


def print_measures(truth: np.ndarray, ranking: np.ndarray) -> None:
    """Print how well the ranking (m, C) of class numbers finds the true ones (m,)."""
    best, C = ranking[:, 0], ranking.shape[1]
    places = 1 + (ranking == truth[:, None]).argmax(axis=1)
    console = Console(highlight=False)
    console.print(f"images    {len(truth)}")
    console.print(f"classes   {C}")
    console.print(f"accuracy  {metrics.accuracy(truth, best):.4f}   (chance {1 / C:.4f})")
    console.print(f"macro-F1  {metrics.macro_f1(truth, best, C):.4f}")
    console.print(f"MRR       {metrics.mean_reciprocal_rank(places):.4f}")
    console.print(f"R@1       {metrics.recall_at_one(places):.4f}")
