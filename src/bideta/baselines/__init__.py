"""Every comparison: same ``fit`` and ``predict_proba`` as ``Bideta``, one file each.

``Task``, ``Infer`` and ``loader`` are what a comparison of yours is written with; see bideta help add-a-comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from bideta.baselines._adapter import Infer, loader
    from bideta.baselines._inputs import Task

__all__ = ["Infer", "MethodInfo", "NotAvailableError", "Task", "loader"]


@dataclass(frozen=True)
class MethodInfo:
    """Facts of an adaptation method.

    Attributes:
        name: as ``load_method`` takes it
        title: as the paper's tables write it, where it is one of theirs
        reference: authors, title, venue
        licence: of the original code
        transductive: whether queries are answered together
        readout: with the default settings
        needs_source: with the default settings
        needs_calibration: whether it asks for pictures of the untouched sensor
        needs_torch: whether the extra ``torch`` must be installed
        assumes_balance: of the query batch
        url: of the original code
    """

    name: str
    title: str
    reference: str
    licence: str
    transductive: bool
    readout: Literal["earlier", "final", "both"]
    needs_source: bool = False
    needs_calibration: bool = False
    needs_torch: bool = False
    assumes_balance: bool = False
    url: str = ""


class NotAvailableError(ValueError):
    """The method cannot run on these data (no calibration images, say); tables show it as –."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not available: {reason}")


def __getattr__(name: str) -> Any:
    """The adapter and its words, when they are first used: they need the facts above."""
    if name in ("Infer", "Task", "loader"):
        from bideta.baselines import _adapter

        return getattr(_adapter, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
