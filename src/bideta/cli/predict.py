"""``bideta predict``: a folder of images → a CSV of labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from bideta.cli._sensor import encode, exit_incomplete, named, open_sensor, report_broken, warn_colour
from bideta.cli._table import check_place, write_table
from bideta.datasets._files import image_tree
from bideta.datasets._images import shown
from bideta.method.algorithm import Inference

COLUMNS = ("path", "label", "probability", "reliability", "second_choice")


def main(
    sensor: Annotated[Path, typer.Argument(help="file written by bideta adapt")],
    queries: Annotated[Path, typer.Argument(help="folder of images, searched to any depth")],
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV to write")],
    encoder: Annotated[str | None, typer.Option(help="the sensor's own unless given")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="setting of the encoder, name=value; may be repeated")
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="images in memory at a time")] = 64,
) -> None:
    """Label all images of a folder jointly; columns path, label, probability, reliability, second_choice."""
    check_place(out)
    paths = find_images(queries)
    opened = open_sensor(sensor, encoder, settings or [])
    encoded = encode(opened.encoder, paths, batch_size)
    report_broken(encoded, len(paths))
    warn_colour(opened.origin, encoded)
    result = opened.adapted.infer(encoded.readouts)
    order = np.lexsort((-result.anchor, -result.proba), axis=1)[:, :2]
    best = result.proba[np.arange(len(order)), order[:, 0]]
    sure = reliability(result)
    second = [str(result.classes[row[1]]) if len(row) > 1 else "" for row in order]
    rows = zip(
        named(paths, queries, encoded),
        (str(result.classes[row[0]]) for row in order),
        (f"{value:.6f}" for value in best),
        (f"{value:.6f}" for value in sure),
        second,
        strict=True,
    )
    write_table(out, COLUMNS, rows)
    Console(stderr=True, soft_wrap=True).print(
        f"{shown(out)}: {len(order)} images labelled", markup=False, highlight=False
    )
    exit_incomplete(encoded)


def find_images(folder: Path) -> list[Path]:
    """All images below a folder; an error where there is none."""
    if not folder.is_dir():
        raise FileNotFoundError(f"no folder {shown(folder)}: expected a folder of images")
    paths = image_tree(folder)
    if not paths:
        raise FileNotFoundError(f"no images in {shown(folder)}: expected PNG, JPEG, BMP, TIFF or WEBP files")
    return paths


def reliability(result: Inference) -> NDArray[np.float64]:
    """(m,) numbers in [0, 1]: the lead of the best class over the second, times 1 − d where the readouts disagree.

    It orders answers from sure to unsure; it is not the chance of being right.
    """
    if result.proba.shape[1] < 2:
        return np.ones(len(result.proba))
    top = np.partition(result.proba, -2, axis=1)[:, -2:]
    return (top[:, 1] - top[:, 0]) * (1 - result.disagreement)
