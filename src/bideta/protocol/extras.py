"""What cells need beyond the base install, found out before any of them runs."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from functools import cache

from bideta.plugins import find, names
from bideta.protocol.experiment import Cell


@cache  # looking for entry points takes 20 ms a method
def trained_methods() -> tuple[str, ...]:
    """Methods that train with torch."""
    return tuple(name for name in names("method") if find("method", name).INFO.needs_torch)


def require_extras(cells: Iterable[Cell]) -> None:
    """Refuse cells whose methods cannot run here; the error says what to install, or what to leave out."""
    if importlib.util.find_spec("torch") is not None:
        return
    trained = trained_methods()
    without = [cell for cell in cells if cell.method in trained]
    if without:
        methods = ", ".join(sorted({cell.method for cell in without}))
        raise ModuleNotFoundError(
            f"{methods} ({len(without)} cells) train with torch, which is not installed: pip install 'bideta[torch]', "
            "or leave them out with --without-torch"
        )
