"""The cameras of this machine, by serial number."""

from __future__ import annotations

import platform

from rich.console import Console
from rich.table import Table

from bideta.live.cameras import list_cameras

EXAMPLES = """
bideta sensors
"""


def main() -> None:
    """List cameras; use the serial as: bideta live … --source camera:SERIAL."""
    cameras = list_cameras()
    if not cameras:
        where = "" if platform.system() == "Linux" else " (they can be listed on Linux only; use camera:0)"
        print(f"no cameras found{where}")
        return
    table = Table(box=None, pad_edge=False)
    for column in ("serial", "device", "name", "product"):
        table.add_column(column)
    for camera in cameras:
        table.add_row(camera.serial or "–", camera.device, camera.name, camera.product)
    Console(highlight=False, markup=False).print(table)
