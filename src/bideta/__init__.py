"""bideta: a frozen tactile encoder on a sensor it has never seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bideta import presets
from bideta.plugins import load_dataset, load_encoder, load_method

if TYPE_CHECKING:
    from bideta.estimator import Bideta

__all__ = ["Bideta", "load_dataset", "load_encoder", "load_method", "presets"]


def __getattr__(name: str) -> Any:
    """``Bideta`` when it is first used: scikit-learn takes a second to import, ``bideta --help`` does without."""
    if name != "Bideta":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bideta.estimator import Bideta

    return Bideta
