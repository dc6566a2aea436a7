"""The former home of ``draw_support``, for one release; it is ``bideta.protocol.draw`` now."""

from __future__ import annotations

import warnings
from typing import Any

from bideta.protocol import draw


def __getattr__(name: str) -> Any:
    if name != "draw_support":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"{__name__}.{name} is now bideta.protocol.draw.{name}", DeprecationWarning, stacklevel=2)
    return draw.draw_support
