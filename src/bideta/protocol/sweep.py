"""One parameter at a time: the rows of the paper's sensitivity tables, as variants of cells and as settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Sweep:
    """One table of the paper: a parameter of ``Bideta``, or two that are moved together.

    >>> k = Sweep("tab:sens8", ("n_neighbors",), ("10", "20"))
    >>> k.variant("20"), k.label("n_neighbors=20"), k.label("gamma=0.1"), k.settings("20")
    ('n_neighbors=20', '20', None, {'n_neighbors': 20})
    >>> Sweep("tab:sens13", ("r_min", "r_max"), ()).settings("0.20:0.40")
    {'r_min': 0.2, 'r_max': 0.4}
    """

    table: str  # "tab:sens8"
    parameters: tuple[str, ...]
    labels: tuple[str, ...]  # the paper's rows: "40", or "0.20:0.40" for two parameters

    def variant(self, label: str) -> str:
        """What a record calls the row."""
        return f"{':'.join(self.parameters)}={label}"

    def label(self, variant: str) -> str | None:
        """The row of a record's variant; None where the variant is about another parameter."""
        start = self.variant("")
        return variant.removeprefix(start) if variant.startswith(start) else None

    def settings(self, label: str) -> dict[str, Any]:
        """What a row changes; whole numbers are counts."""
        values = (float(part) if "." in part else int(part) for part in label.split(":"))
        return dict(zip(self.parameters, values, strict=True))


def settings_by_variant(sweeps: Iterable[Sweep]) -> dict[str, dict[str, Any]]:
    """Every variant of the sweeps, in the order of the tables, and what it changes."""
    return {sweep.variant(label): sweep.settings(label) for sweep in sweeps for label in sweep.labels}
