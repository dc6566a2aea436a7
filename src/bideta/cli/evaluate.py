"""A folder of class folders → accuracy, macro-F1, MRR and R@1 of an adapted sensor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from bideta.cli._drawing import draw_confusion, need_matplotlib
from bideta.cli._encoding import encode_queries, exit_incomplete, open_file
from bideta.cli._options import BatchSize, EncoderSettings, SensorFile, SensorsEncoder
from bideta.cli._table import check_place
from bideta.cli._terminal import note
from bideta.datasets import folder
from bideta.deploy import pool_presses
from bideta.images.reading import shown
from bideta.protocol import metrics


def main(
    sensor: SensorFile,
    queries: Annotated[Path, typer.Argument(help="folder of class folders, named as in the support")],
    picture: Annotated[Path | None, typer.Option(help="confusion matrix to draw, e.g. confusion.png")] = None,
    encoder: SensorsEncoder = None,
    settings: EncoderSettings = None,
    presses: Annotated[
        bool,
        typer.Option(
            "--presses", help="QUERIES/CLASS/PRESS/*: a folder for each press inside the class folders"
        ),
    ] = False,
    batch_size: BatchSize = 64,
) -> None:
    """Measure an adapted sensor on images whose classes are known (a folder per class)."""
    if picture is not None:
        check_place(picture)
        need_matplotlib()
    presses = presses or folder.named_presses(queries)
    dataset = folder.load(queries, presses=presses)
    if dataset.sensors != (folder.ONLY,):
        raise ValueError(
            f"{shown(queries)} holds sensor folders ({', '.join(dataset.sensors)}); expected class folders "
            "(with a folder for each press inside: --presses)"
        )
    frames = dataset.frames(folder.ONLY, folder.ALL)
    opened = open_file(sensor, encoder, settings)
    classes = [str(name) for name in opened.adapted.classes_]
    strangers = [name for name in dataset.info.classes if name not in classes]
    if strangers:
        raise ValueError(
            f"{shown(queries)} has classes that the sensor does not know: {', '.join(map(shown, strangers))}. "
            f"Known: {', '.join(map(shown, classes))}"
        )
    encoded = encode_queries(opened, frames.images.paths, batch_size)
    position = np.array([classes.index(name) for name in dataset.info.classes])
    truth = position[frames.labels[encoded.rows]]
    result = opened.adapted.infer(encoded.readouts)
    ranking = result.ranking()
    print_measures(truth, ranking)
    if presses:
        first, pooled = pool_presses(result.proba, frames.presses[encoded.rows])
        share = metrics.accuracy(truth[first], pooled.argmax(axis=1))
        Console(highlight=False).print(f"presses   {len(first)}, accuracy {share:.4f} with one answer each")
    for line in folder.overlooked(queries, presses):
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
