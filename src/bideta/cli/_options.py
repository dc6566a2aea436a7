"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Input = Annotated[
    Path, typer.Argument(help="folder of images, video, bag, arrays, …; see bideta help bring-your-data")
]
Format = Annotated[
    str, typer.Option("--format", help="of the input, where its content does not say it; see: bideta formats")
]
FramesPerPress = Annotated[
    int | None, typer.Option("--frames", min=0, help="frames of a press of a recording; 0: all")
]
Reading = Annotated[
    list[str] | None,
    typer.Option("--read", help="setting of the format, name=value, e.g. label=task; may be repeated"),
]
SensorFile = Annotated[Path, typer.Argument(help="file written by bideta adapt")]
TableOut = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="table to write: .csv, .jsonl or .parquet; chosen and printed if left out"
    ),
]
SomeEncoder = Annotated[str, typer.Option(help="see: bideta encoders")]
SensorsEncoder = Annotated[str | None, typer.Option(help="the sensor's own unless given")]
EncoderSettings = Annotated[
    list[str] | None, typer.Option("--set", help="setting of the encoder, name=value; may be repeated")
]
BatchSize = Annotated[int, typer.Option(min=1, help="images in memory at a time")]
Background = Annotated[
    Path | None,
    typer.Option(
        help="untouched picture of the sensor as it is now, or a folder of them; the sensor's own unless given"
    ),
]
MinusUntouched = Annotated[
    bool,
    typer.Option(
        "--minus-untouched",
        help="look at differences to each press's untouched frame, from the folder DIR-untouched beside DIR",
    ),
]
Download = Annotated[
    bool, typer.Option("--download", help="fetch the encoder's weights if they are not here")
]
FramesPerSecond = Annotated[
    float | None, typer.Option(help="frames per second; the source's own unless given")
]
CameraSize = Annotated[str, typer.Option(help="of a camera, e.g. 640x480")]
Threshold = Annotated[float, typer.Option(help="how clearly a contact must stand out")]
SourceSeed = Annotated[int, typer.Option(help="of the simulated source")]
