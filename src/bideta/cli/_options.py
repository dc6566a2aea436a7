"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SensorFile = Annotated[Path, typer.Argument(help="file written by bideta adapt")]
Images = Annotated[Path, typer.Argument(help="folder of images, searched to any depth")]
CsvOut = Annotated[Path, typer.Option("--out", "-o", help="CSV to write")]
SomeEncoder = Annotated[str, typer.Option(help="see: bideta encoders")]
SensorsEncoder = Annotated[str | None, typer.Option(help="the sensor's own unless given")]
EncoderSettings = Annotated[
    list[str] | None, typer.Option("--set", help="setting of the encoder, name=value; may be repeated")
]
BatchSize = Annotated[int, typer.Option(min=1, help="images in memory at a time")]
Download = Annotated[
    bool, typer.Option("--download", help="fetch the encoder's weights if they are not here")
]
FramesPerSecond = Annotated[
    float | None, typer.Option(help="frames per second; the source's own unless given")
]
CameraSize = Annotated[str, typer.Option(help="of a camera, e.g. 640x480")]
Threshold = Annotated[float, typer.Option(help="how clearly a contact must stand out")]
SourceSeed = Annotated[int, typer.Option(help="of the simulated source")]
