"""An optional library, or an error that says what to install."""

from __future__ import annotations

import importlib
from typing import Any


def need(module: str, extra: str, what: str) -> Any:
    """The module; ``what`` is what needs it, ``extra`` the extra of this package that brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        top = module.partition(".")[0]
        raise ImportError(f"{what} need {top}: pip install 'bideta[{extra}]'") from error
