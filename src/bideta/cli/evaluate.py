"""``bideta evaluate``: a folder of class folders → accuracy, macro-F1, MRR and R@1 of an adapted sensor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from bideta.cli._drawing import draw_confusion, need_matplotlib
from bideta.cli._sensor import encode, exit_incomplete, open_sensor, report_broken, warn_colour
from bideta.cli._table import check_place
from bideta.cli._terminal import note
from bideta.datasets import folder
from bideta.images.reading import shown
from bideta.protocol import metrics


def main(
    sensor: Annotated[Path, typer.Argument(help="file written by bideta adapt")],
    queries: Annotated[Path, typer.Argument(help="folder of class folders, named as in the support")],
    picture: Annotated[Path | None, typer.Option(help="confusion matrix to draw, e.g. confusion.png")] = None,
    encoder: Annotated[str | None, typer.Option(help="the sensor's own unless given")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="setting of the encoder, name=value; may be repeated")
    ] = None,
    presses: Annotated[
        bool,
        typer.Option(
            "--presses", help="QUERIES/CLASS/PRESS/*: a folder for each press inside the class folders"
        ),
    ] = False,
    batch_size: Annotated[int, typer.Option(min=1, help="images in memory at a time")] = 64,
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
    opened = open_sensor(sensor, encoder, settings or [])
    classes = [str(name) for name in opened.adapted.classes_]
    strangers = [name for name in dataset.info.classes if name not in classes]
    if strangers:
        raise ValueError(
            f"{shown(queries)} has classes that the sensor does not know: {', '.join(map(shown, strangers))}. "
            f"Known: {', '.join(map(shown, classes))}"
        )
    encoded = encode(opened.encoder, frames.images.paths, batch_size)
    report_broken(encoded, len(frames))
    warn_colour(opened.origin, encoded)
    position = np.array([classes.index(name) for name in dataset.info.classes])
    truth = position[frames.labels[encoded.rows]]
    C = len(classes)
    ranking = np.vectorize(classes.index, otypes=[np.int64])(
        opened.adapted.rank(encoded.readouts).astype(str)
    )
    places = 1 + (ranking == truth[:, None]).argmax(axis=1)
    console = Console(highlight=False)
    console.print(f"images    {len(truth)}")
    console.print(f"classes   {C}")
    console.print(f"accuracy  {metrics.accuracy(truth, ranking[:, 0]):.4f}   (chance {1 / C:.4f})")
    console.print(f"macro-F1  {metrics.macro_f1(truth, ranking[:, 0], C):.4f}")
    console.print(f"MRR       {metrics.mean_reciprocal_rank(places):.4f}")
    console.print(f"R@1       {metrics.recall_at_one(places):.4f}")
    for line in folder.overlooked(queries, presses):
        note(f"warning: {line}")
    absent = [name for i, name in enumerate(classes) if i not in truth]
    if absent:
        note(f"note: no queries of {', '.join(map(shown, absent))}; such a class counts 0 in macro-F1")
    if picture is not None:
        draw_confusion(metrics.confusion(truth, ranking[:, 0], C), classes, picture)
    exit_incomplete(encoded)
