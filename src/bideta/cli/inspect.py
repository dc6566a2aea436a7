"""What an adapted sensor's file holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from bideta import quantity_file, sensor_file
from bideta.cli._drawing import ROUNDING, check_drawing, draw_spectrum
from bideta.cli._places import check_sensor_file
from bideta.cli._table import check_place, print_table
from bideta.extensions.presses import press_of
from bideta.images.png import ENDINGS, write_png
from bideta.images.reading import shown
from bideta.quantity_sensor import QuantitySensor
from bideta.sensor import Sensor
from bideta.service.backgrounds import MINUS_UNTOUCHED
from bideta.service.sensors import answers_classes
from bideta.spelling import counted

EXAMPLES = """
bideta inspect hex.bideta --picture spectrum.png
"""


def main(
    sensor: Annotated[Path, typer.Argument(help="file written by bideta adapt or Bideta.save")],
    picture: Annotated[Path | None, typer.Option(help="spectrum to draw, e.g. spectrum.png")] = None,
    background_picture: Annotated[
        Path | None, typer.Option(help="PNG to write: the sensor's background, e.g. background.png")
    ] = None,
) -> None:
    """Show what an adapted sensor's file holds: encoder, classes, settings, spectrum."""
    if picture is not None:
        check_drawing(picture)
    check_place(background_picture, ENDINGS)
    check_sensor_file(sensor)
    loaded = sensor_file.load(sensor) if answers_classes(sensor) else None
    measured = quantity_file.load(sensor) if loaded is None else quantity_file.load_if_any(sensor)
    if picture is not None and loaded is None:
        raise ValueError(f"{shown(sensor)} answers quantities only; --picture draws the spectrum of classes")
    if background_picture is not None:
        background = next((one.background for one in (loaded, measured) if one is not None), None)
        if background is None:
            raise ValueError(f"{shown(sensor)} has no background; adapt with --background to keep one")
        write_png(background_picture, background)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    size = f"{sensor} ({sensor.stat().st_size / 1024:.0f} KiB)"
    facts: list[tuple[str, object]] = [("file", size)]
    if loaded is not None:
        facts += [*origin_facts(loaded), *sensor_facts(loaded)]
    if measured is not None:
        facts += [*(origin_facts(measured) if loaded is None else ()), *quantity_facts(measured)]
    for name, value in facts:
        table.add_row(name, Text(shown(str(value))))  # Text: brackets in a name are not markup
    print_table(table)
    if picture is not None and loaded is not None:
        draw_spectrum([readout.covariance.values for readout in loaded.readouts], picture)


def origin_facts(sensor: Sensor | QuantitySensor) -> Iterator[tuple[str, object]]:
    """Name and value of what is known about where the readouts came from."""
    origin = sensor.origin
    yield "encoder", origin.get("encoder", "not noted: the readouts came from Python")
    if origin:
        yield "fingerprint", origin.get("fingerprint", "")
        yield "encoder settings", origin.get("settings") or "defaults"
        new = " new" if isinstance(origin.get("labels"), dict) else ""  # adapt --from: beside earlier ones
        yield "labelled images", f"{origin.get('support', '')}{new}"
        yield "written by", f"bideta {origin.get('bideta', '')}"
    labels = origin.get("labels")
    if isinstance(labels, dict):  # of adapt --from
        kept, earlier = labels.get("earlier_contacts"), labels.get("from") or "an earlier sensor"
        yield "labels from", f"{labels.get('new_contacts')} new contacts, {kept} of {earlier}"
    if "tuned" in origin:
        yield "tuned", origin["tuned"]
    if origin.get(MINUS_UNTOUCHED):
        yield "pictures", "differences to each press's untouched frame"
    if sensor.background is not None:
        height, width = sensor.background.shape[:2]
        yield "background", f"{width} × {height} pixels (--background-picture writes it)"


def quantity_facts(sensor: QuantitySensor) -> Iterator[tuple[str, object]]:
    """Name and value of labelled contacts and quantities."""
    presses = len(np.unique(sensor.presses))
    frames = "" if presses == len(sensor.values) else f", frames of {counted(presses, 'press')}"
    yield "measured contacts", f"{len(sensor.values)}{frames}"
    for target, y in zip(sensor.targets, sensor.values.T, strict=True):
        turn = "" if target.period is None else f", an angle of period {target.period:g}"
        yield target.column, f"labelled from {y.min():.4g} to {y.max():.4g} {target.unit}{turn}".rstrip()


def sensor_facts(sensor: Sensor) -> Iterator[tuple[str, object]]:
    """Name and value of labelled contacts, classes, settings and readouts."""
    presses, contacts = len(press_of(sensor.labels, sensor.presses)[0]), len(sensor.labels)
    frames = "" if presses == contacts else f", frames of {counted(presses, 'press')}"
    yield "labelled contacts", f"{contacts}{frames}"
    yield "classes", f"{len(sensor.classes)}: {', '.join(map(str, sensor.classes))}"
    if sensor.rule is not None:
        yield "class prior", f"{sensor.settings.prior}: estimated for every batch"
    else:
        yield "class prior", "none" if sensor.prior is None else frequencies(sensor.prior)
    for name, value in sorted(vars(sensor.settings).items()):
        if name != "prior":
            yield name, value
    for v, readout in enumerate(sensor.readouts, 1):
        values = readout.covariance.values
        d, rank = len(readout.standardizer.mean), int((values > ROUNDING * values.max(initial=0)).sum())
        yield (
            f"readout {v}",
            f"{d} features; residual spectrum of rank {rank}, largest {values.max(initial=0):.3g}, "
            f"mean variance {readout.covariance.mean_variance:.3g}, shrinkage {readout.covariance.intensity:.3f}",
        )


def frequencies(prior: NDArray[np.float64]) -> str:
    """A class prior, short where all classes are equally frequent.

    >>> frequencies(np.full(16, 1 / 16)), frequencies(np.array([0.25, 0.75]))
    ('equal (1/16)', '0.250, 0.750')
    """
    if np.allclose(prior, 1 / len(prior), rtol=1e-9, atol=0):
        return f"equal (1/{len(prior)})"
    return ", ".join(f"{p:.3f}" for p in prior)
