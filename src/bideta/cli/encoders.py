"""``bideta encoders``: what there is, what it needs, whether its weights are here; export for CPU deployment."""

from __future__ import annotations

import inspect
import logging
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bideta.encoders import EncoderInfo
from bideta.encoders._weights import FOLDER_VARIABLE, folders
from bideta.plugins import find, load_encoder, names

app = typer.Typer(help="Encoders: list them with their weights and licences; export one to ONNX.")

NARROWEST = 150  # columns of the table where no terminal says otherwise: paths must stay readable


@app.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    """List the encoders: input, readouts, parameters, licence, where weights are expected, whether they are there."""
    if context.invoked_subcommand is not None:
        return
    table = Table(
        "encoder", "input", "readouts", "parameters", "tactile", "licence of the weights", "weights", "here"
    )
    for name in names("encoder"):
        module = find("encoder", name)
        info: EncoderInfo = module.INFO
        # A plugin without `weights_at` carries its weights in its package.
        place, there = module.weights_at() if hasattr(module, "weights_at") else ("part of the package", True)
        table.add_row(
            *row(name, info), short(place), "—" if info.family else "yes" if there else "[red]no[/red]"
        )
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(NARROWEST, console.width))
    console.print(table)
    console.print(
        "Weight files are looked for in " + ", then in ".join(map(str, folders())),
        soft_wrap=True,
        markup=False,
    )
    console.print(
        f"(set {FOLDER_VARIABLE} to change that), or named with weights=FILE; see docs/encoders.md",
        markup=False,
    )


def short(place: str) -> str:
    """A path inside a weights folder without the folder: the line under the table names it."""
    for folder in folders():
        place = place.removeprefix(f"{folder}{os.sep}")
    return place


def row(name: str, info: EncoderInfo) -> tuple[str, str, str, str, str, str]:
    """The facts of an encoder, as the table shows them; a family's depend on what follows the colon."""
    if info.family:
        return f"{name}:<{info.family}>", "—", "—", "—", "—", info.licence
    pixels = f"{info.input_size}×{info.input_width or info.input_size}×{info.channels}"
    parameters = "—" if info.parameters is None else f"{info.parameters:,}"
    return (
        name,
        pixels,
        "{} + {}".format(*info.readouts),
        parameters,
        "yes" if info.tactile else "no",
        info.licence,
    )


@app.command()
def export(
    name: Annotated[str, typer.Argument(help="encoder to export: tvl, sparsh, timm:<model>")],
    onnx: Annotated[Path, typer.Option(help="ONNX file to write; load it as onnx:FILE, without torch")],
    weights: Annotated[
        Path | None, typer.Option(help="weight file; else where `bideta encoders` expects it")
    ] = None,
    download: Annotated[bool, typer.Option("--download", help="allow the download from the hub")] = False,
    revision: Annotated[str, typer.Option(help="commit of the hub's repository to download")] = "",
    sha256: Annotated[str, typer.Option(help="hash the weight file must have")] = "",
) -> None:
    """Write an encoder as one ONNX file with its preprocessing; refused unless it agrees with torch to 1e-4."""
    if "download" not in inspect.signature(find("encoder", name).load).parameters:
        raise ValueError(
            f"{name} already runs on onnxruntime; only tvl, sparsh and timm:<model> are exported"
        )
    encoder = load_encoder(
        name,
        weights=weights,
        download=download,
        revision=revision or None,
        sha256=sha256 or None,
        device="cpu",
    )
    from bideta.encoders._export import export as write

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    difference = write(encoder, onnx)
    typer.echo(
        f"{onnx}: {onnx.stat().st_size / 1e6:.0f} MB, largest difference from torch {difference:.1g}. "
        f"Load it as onnx:{onnx}. Licence of the weights: {encoder.info.licence}"
    )
