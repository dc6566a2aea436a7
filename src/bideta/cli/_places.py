"""Files and folders as typed: where to write, and what is meant where an argument is not what it should be."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from bideta.cli._table import check_place
from bideta.cli._terminal import note
from bideta.images.reading import shown
from bideta.spelling import did_you_mean


def output_place(out: Path | None, usual: str) -> Path:
    """Where to write: as typed, else under the usual name; a file that is there already is not written over unasked.

    What was chosen is printed: ask when the result is there, for an error writes nothing.
    """
    if out is None:
        first = Path(usual)
        names = (first if n == 1 else first.with_stem(f"{first.stem}-{n}") for n in count(1))
        out = next(name for name in names if not name.exists())
        note(f"no -o: the result goes to {shown(out)}")
    check_place(out)
    return out


def check_order(sensor: Path, folder: Path) -> None:
    """Refuse a folder and a sensor's file in the wrong order."""
    if sensor.is_dir() and folder.is_file():
        raise ValueError(
            f"the arguments are exchanged: {shown(sensor)} is a folder, {shown(folder)} a file. Did you mean: "
            f"{shown(folder)} {shown(sensor)}?"
        )


def check_sensor_file(sensor: Path) -> None:
    """Refuse a sensor's file that is none, and say which may be meant."""
    if sensor.is_dir():
        inside = sorted(sensor.glob("*.bideta"))
        hint = f" Did you mean {shown(inside[0])}?" if inside else ""
        raise IsADirectoryError(
            f"{shown(sensor)} is a folder, expected the file that bideta adapt wrote.{hint}"
        )
    if not sensor.exists():
        near = sorted(path.name for path in sensor.parent.glob("*.bideta"))
        hint = did_you_mean(sensor.name, near) or (
            f" There is: {', '.join(map(shown, near))}" if near else ""
        )
        raise FileNotFoundError(
            f"no artifact at {shown(sensor)}, expected the file that bideta adapt wrote.{hint}"
        )
