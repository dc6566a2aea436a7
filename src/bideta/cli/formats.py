"""Which formats can be read, and what each needs."""

from __future__ import annotations

import inspect
from importlib.util import find_spec

from rich.table import Table

from bideta.cli._table import print_table
from bideta.plugins import find, names

LIBRARIES = {"video": "av", "arrays": "h5py", "lerobot-data": "pyarrow", "mcap": "mcap"}  # of each extra


EXAMPLES = """
bideta formats
"""


def main() -> None:
    """List the formats that adapt, predict, evaluate, rank, suggest and load_dataset read, and their settings."""
    table = Table()
    for title in ("format", "what", "needs", "settings (--read)"):
        table.add_column(title, overflow="fold")
    for name in names("reader"):
        reader = find("reader", name)
        extra = reader.INFO.extra
        missing = extra and find_spec(LIBRARIES.get(extra, extra)) is None
        need = "—" if not extra else f"bideta\\[{extra}]{' (missing)' if missing else ''}"
        settings = [setting for setting in inspect.signature(reader.load).parameters if setting != "path"]
        table.add_row(name, reader.INFO.title, need, ", ".join(settings) or "—")
    print_table(table)
