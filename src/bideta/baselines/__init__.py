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
    """Facts of an adaptation method."""

    name: str
    title: str  # as the paper's tables write it, where it is one of theirs
    reference: str
    licence: str  # of the original code
    transductive: bool
    readout: Literal["earlier", "final", "both"]  # with the default settings
    needs_source: bool = False  # with the default settings
    needs_calibration: bool = False
    needs_torch: bool = False
    assumes_balance: bool = False  # of the query batch
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
