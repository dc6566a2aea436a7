"""Simulated sensors: contacts to try things on, contact sheets, twins in a release's layout."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from bideta.cli._table import check_place
from bideta.cli._terminal import note, progress
from bideta.datasets.simulated.class_folders import write_folders
from bideta.datasets.simulated.contact_sheet import STILL, contact_sheet, find_objects
from bideta.datasets.simulated.dataset import SimulatedDataset
from bideta.datasets.simulated.levels import DEFAULT_LEVEL, LEVELS, find_level
from bideta.datasets.simulated.release import write_release
from bideta.images.png import ENDINGS, write_png
from bideta.plugins import load_dataset, names
from bideta.sim import SENSORS, find_sensor
from bideta.spelling import counted

EXAMPLES = """
bideta sim contacts try/ --sensor Hex
bideta sim sheet sheet.png --sensors DIGIT,Hex
bideta sim write simulated-sitr twin/ --scale 0.1
bideta sim probe simulated-tacverse
"""

app = typer.Typer(
    help="Tactile sensors in numpy: pictures of them, and twins of the releases.", no_args_is_help=True
)

RELEASE_SIZE = 224  # px, as SITR's own images


@app.command()
def sheet(
    out: Annotated[Path, typer.Argument(help="PNG to write")],
    sensors: Annotated[str, typer.Option(help="comma-separated sensor names; all of them if empty")] = "",
    objects: Annotated[str, typer.Option(help="household, tacverse, identities or random")] = "household",
    size: Annotated[int, typer.Option(help="pixels per picture, even")] = 64,
    seed: Annotated[int, typer.Option(help="of the noise and of random objects")] = 0,
    difficulty: Annotated[
        str, typer.Option(help=f"poses of that level ({', '.join(LEVELS)}); centred if empty")
    ] = "",
) -> None:
    """Draw objects × sensors as one picture."""
    chosen = [find_sensor(name.strip()).name for name in sensors.split(",")] if sensors else list(SENSORS)
    poses = find_level(difficulty).ranges if difficulty else STILL
    out.parent.mkdir(parents=True, exist_ok=True)
    check_place(out, ENDINGS)
    picture = contact_sheet(find_objects(objects, seed), chosen, size=size, seed=seed, ranges=poses)
    write_png(out, picture)
    note(f"{out}: {picture.width} × {picture.height} px, simulated")


@app.command()
def write(
    name: Annotated[str, typer.Argument(help="simulated-sitr, simulated-tacverse or simulated-tacquad")],
    folder: Annotated[Path, typer.Argument(help="new or empty folder")],
    scale: Annotated[float, typer.Option(help="fraction of the paper's counts")] = 1.0,
    difficulty: Annotated[str, typer.Option(help=", ".join(LEVELS))] = DEFAULT_LEVEL,
    size: Annotated[int, typer.Option(help="pixels, even")] = RELEASE_SIZE,
    seed: Annotated[int, typer.Option(help="of contacts and noise")] = 0,
) -> None:
    """Write a simulated twin in the exact layout of the release it stands for."""
    dataset = _twin(name, difficulty=difficulty, scale=scale, seed=seed, size=size)
    with progress(name) as step:
        written = write_release(dataset, folder, lambda what, done, total: step(done, total, what))
    note(f"{folder}: {counted(written, 'image')}, simulated")


@app.command()
def contacts(
    folder: Annotated[Path, typer.Argument(help="new or empty folder")],
    sensor: Annotated[str, typer.Option(help="a simulated sensor of the SITR twin")] = "Hex",
    labelled: Annotated[int, typer.Option(min=1, help="labelled pictures per class")] = 8,
    queries: Annotated[int, typer.Option(min=1, help="further pictures per class")] = 20,
    difficulty: Annotated[str, typer.Option(help=", ".join(LEVELS))] = DEFAULT_LEVEL,
    size: Annotated[int, typer.Option(help="pixels, even")] = 64,
    seed: Annotated[int, typer.Option(help="of contacts and noise")] = 0,
) -> None:
    """Write one simulated sensor as class folders, to try adapt, predict, evaluate and the studio on.

    FOLDER/support has the labelled contacts, FOLDER/queries others of the same objects.
    """
    dataset = _twin("simulated-sitr", difficulty=difficulty, seed=seed, size=size)
    with progress("draw") as step:
        written = write_folders(dataset, folder, sensor, {"train": labelled, "test": queries}, step)
    note(f"{folder}: {counted(written, 'image')}, simulated")
    note(f"next: bideta adapt {shlex.quote(str(folder / 'support'))} -o sensor.bideta")


@app.command()
def probe(
    name: Annotated[str, typer.Argument(help="a dataset, e.g. simulated-tacverse")],
    scale: Annotated[float, typer.Option(help="fraction of the paper's counts")] = 0.5,
    difficulty: Annotated[str, typer.Option(help=", ".join(LEVELS))] = DEFAULT_LEVEL,
    seed: Annotated[int, typer.Option(help="of contacts and noise")] = 0,
) -> None:
    """Print how well a linear probe on gradient features knows each sensor's classes (simulated)."""
    from bideta.datasets.simulated.linear_probe import in_domain_accuracy

    console = Console()
    dataset = _twin(name, difficulty=difficulty, scale=scale, seed=seed)
    chance = 1 / len(dataset.info.classes)
    for sensor in dataset.sensors:
        accuracy = in_domain_accuracy(dataset, sensor)
        console.print(f"{sensor:18} {accuracy:6.1%}  (chance {chance:.1%})", highlight=False, soft_wrap=True)


def _twin(name: str, **settings: Any) -> SimulatedDataset:
    """The simulated dataset of that name; another name raises an error that lists the known ones."""
    twins = [twin for twin in names("dataset") if twin.startswith("simulated-")]
    if name not in twins:
        raise ValueError(f"unknown twin {name!r}. Known: {', '.join(twins)}")
    return load_dataset(name, **settings)
