"""Pictures of the report. Colours are Okabe and Ito's, which people without full colour vision can tell apart."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from bideta.images.files import write_atomic
from bideta.report import pyplot
from bideta.report.wording import METHODS

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW, GREY = "#E69F00", "#56B4E9", "#F0E442", "#767676"
CYCLE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, GREY)
ENCODERS = {"TVL": BLUE, "Sparsh": VERMILION}

WIDTH = 9.0  # inches: at DPI this fills a page of 1,000 px
DPI = 110
COLOURS = 256  # of a chart's palette
JPEG_QUALITY = 85


def method_colour(method: str, variant: str) -> str:
    """Red: BIDETA; blue: the paper's comparisons; green: ours."""
    if (method, variant) == ("bideta", ""):
        return VERMILION
    return BLUE if method in METHODS and not variant else GREEN


@dataclass(frozen=True)
class Figure:
    """A picture and what it shows, in whole sentences."""

    path: Path
    caption: str

    @property
    def alt(self) -> str:
        """What is said to those who do not see it: the caption's first sentence."""
        first, stop, _ = self.caption.partition(". ")
        return first + "." if stop else first


def accuracy_panels(count: int, height: float, legend: float = 0.0, **options: Any) -> tuple[Any, list[Any]]:
    """A figure with ``count`` panels in two columns, each ``height`` inches high, and room for a legend."""
    rows = -(-count // 2)
    size = WIDTH, height * rows + legend
    figure, axes = pyplot().subplots(rows, 2, figsize=size, squeeze=False, **options)
    for axis in axes[:, 0]:
        axis.set_ylabel("accuracy (%)")
    for axis in axes.ravel()[count:]:
        axis.axis("off")
    return figure, list(axes.ravel()[:count])


def save(figure: Any, path: Path, caption: str, *, gradients: bool = False) -> Figure:
    """Write the picture small, whole or not at all, and close it; ``.png``, or ``.jpg`` for photographs.

    A chart gets a palette, which makes it three times smaller; ``gradients=True`` (heat maps) keeps all colours.
    """
    raw, content = io.BytesIO(), io.BytesIO()
    figure.savefig(raw, format="png", dpi=DPI)
    pyplot().close(figure)
    raw.seek(0)
    picture: Image.Image = Image.open(raw).convert("RGB")
    if path.suffix == ".jpg":
        picture.save(content, format="JPEG", quality=JPEG_QUALITY, optimize=True)
    else:
        if not gradients:
            picture = picture.quantize(COLOURS, dither=Image.Dither.NONE)
        picture.save(content, format="PNG", optimize=True)
    write_atomic(path, content.getvalue())
    return Figure(path, caption)
