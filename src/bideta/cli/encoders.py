"""Which there are, what each needs, whether its weights are here; export one to ONNX."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bideta.cli._int8 import export_int8
from bideta.cli._options import EncoderSettings
from bideta.cli._settings import parse_settings
from bideta.encoders import EncoderInfo, in_package
from bideta.encoders.checkpoints.folders import FOLDER_VARIABLE, folders
from bideta.plugins import find, load_encoder, names

EXAMPLES = """
bideta encoders
bideta encoders --long
bideta encoders export sparsh --onnx sparsh.onnx
bideta encoders export t3:mini --onnx mini.onnx --set crop=false
"""

app = typer.Typer(help="Encoders: list them with their weights and licences; export one to ONNX.")


@app.callback(invoke_without_command=True)
def overview(
    context: typer.Context,
    long: Annotated[
        bool,
        typer.Option("--long", help="all facts: input, readouts, parameters, where weights are expected"),
    ] = False,
) -> None:
    """List the encoders: whether their weights are here, size, licence; with --long all that is known of them."""
    if context.invoked_subcommand is not None:
        return
    console = Console(highlight=False)
    modules = {name: find("encoder", name) for name in names("encoder")}
    if long:
        more = "See bideta help encoders"
        for name, module in modules.items():
            console.print(typed(name, module.INFO), style="bold", markup=False, soft_wrap=True)
            for title, fact in facts(module).items():
                console.print(f"  {title:<12}{fact}", markup=False, soft_wrap=True)
    else:
        more = "Input, readouts, parameters, weight files: bideta encoders --long"
        console.print(table(modules))
    console.print(
        f"Weight files are looked for in {', then in '.join(map(str, folders()))}\n"
        f"(set {FOLDER_VARIABLE} to change that), or named with weights=FILE.\n{more}",
        soft_wrap=True,
        markup=False,
    )


def table(modules: Mapping[str, ModuleType]) -> Table:
    """What to type, whether it runs here, size and licence: narrow enough for 80 columns."""
    table = Table()
    table.add_column("encoder", no_wrap=True, overflow="fold")  # names are to be typed: never cut
    for title in ("here", "size"):
        table.add_column(title, no_wrap=True)
    table.add_column("licence of the weights", overflow="fold")
    for name, module in modules.items():
        here, info = weights(module)[1], module.INFO
        table.add_row(
            Text(typed(name, info)), f"[red]{here}[/red]" if here == "no" else here, size(info), info.licence
        )
    return table


def facts(module: ModuleType) -> dict[str, str]:
    """All that is known of an encoder; of a family only what does not depend on what follows the colon."""
    info: EncoderInfo = module.INFO
    place, here = weights(module)
    fixed = {}
    if not info.family:
        fixed = {
            "input": f"{info.input_size}×{info.input_width or info.input_size}×{info.channels}",
            "readouts": " + ".join(map(str, info.readouts)),
            "parameters": "—" if info.parameters is None else f"{info.parameters:,}",
            "tactile": "yes" if info.tactile else "no",
        }
    return {**fixed, "licence": info.licence, "weights": place, "here": here}


def weights(module: ModuleType) -> tuple[str, str]:
    """Where an encoder's weights are expected, and whether they are there (a family's: it depends)."""
    info: EncoderInfo = module.INFO
    if info.weights_at is in_package and hasattr(module, "weights_at"):
        warnings.warn(
            f"{module.__name__}.weights_at is now a fact: EncoderInfo(…, weights_at=weights_at)",
            DeprecationWarning,
            stacklevel=2,
        )
        info = replace(info, weights_at=module.weights_at)
    place, there = info.weights_at()
    for folder in folders():  # the line under the list names them
        place = place.removeprefix(f"{folder}{os.sep}")
    return place, "—" if info.family else "yes" if there else "no"


def typed(name: str, info: EncoderInfo) -> str:
    """What to type for an encoder: a family needs a word after the colon."""
    return f"{name}:<{info.family}>" if info.family else name


def size(info: EncoderInfo) -> str:
    """Parameters in millions, two digits."""
    return "—" if info.family or info.parameters is None else f"{info.parameters / 1e6:.2g} M"


@app.command()
def export(
    name: Annotated[str, typer.Argument(help="encoder to export: tvl, sparsh, t3, timm:<model>")],
    onnx: Annotated[Path, typer.Option(help="ONNX file to write; load it as onnx:FILE, without torch")],
    weights: Annotated[
        Path | None, typer.Option(help="weight file; else where `bideta encoders` expects it")
    ] = None,
    download: Annotated[bool, typer.Option("--download", help="allow the download from the hub")] = False,
    revision: Annotated[str, typer.Option(help="commit of the hub's repository to download")] = "",
    sha256: Annotated[str, typer.Option(help="hash the weight file must have")] = "",
    precision: Annotated[
        Literal["float32", "int8"],
        typer.Option(help="int8: eight-bit weights; refused where the twin loses more than half a point"),
    ] = "float32",
    calibration: Annotated[
        Path | None, typer.Option(help="with int8: pictures of the sensor to measure activations on")
    ] = None,
    settings: EncoderSettings = None,
) -> None:
    """Write an encoder as one ONNX file with its preprocessing; refused unless it agrees with torch to 1e-4.

    With int8 agreement, accuracy on simulated contacts and time are measured before and after, and printed.
    """
    if calibration is not None and precision != "int8":
        raise ValueError("--calibration goes with --precision int8")
    torch = find("encoder", name).INFO.run_by == "torch"
    if settings and not torch:
        raise ValueError(
            f"--set is for encoders that torch runs (tvl, sparsh, t3, timm:<model>), not for {name}"
        )
    pins = {"revision": revision or None, "sha256": sha256 or None}
    kept = {"weights": weights, "download": download, **pins, **parse_settings(settings)}
    if precision == "int8":
        export_int8(name, onnx, calibration, kept)
        return
    if not torch:
        raise ValueError(
            f"{name} already runs without torch; only tvl, sparsh, t3 and timm:<model> are exported"
        )
    encoder = load_encoder(name, **{"device": "cpu", **kept})
    from bideta.encoders.checkpoints.export import export as write

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    difference = write(encoder, onnx)
    typer.echo(
        f"{onnx}: {onnx.stat().st_size / 1e6:.0f} MB, largest difference from torch {difference:.1g}. "
        f"Load it as onnx:{onnx}. Licence of the weights: {encoder.info.licence}"
    )
