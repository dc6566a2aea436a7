"""timm for the tests, also where torchvision was built for another torch than the one installed."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

import pytest

SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
KEPT: list[Any] = []  # a library's definitions live as long as it does


def imported_timm() -> Any:
    """The package, or a skip that says why not."""
    try:
        import_torchvision()
        return _import("timm")
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed (extra timm)")


def import_torchvision() -> None:
    """torchvision, also where it was built for another torch."""
    torch = pytest.importorskip("torch", reason="torch is not installed (extra torch)")
    try:
        _import("torchvision")
        return
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
    for name in [name for name in sys.modules if name.split(".")[0] in ("timm", "torchvision")]:
        del sys.modules[name]
    library = torch.library.Library("torchvision", "DEF")
    library.define(f"nms{SIGNATURE}")
    library.define(f"qnms{SIGNATURE}")
    KEPT.append(library)
    _import("torchvision")


def _import(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other people's imports
        return importlib.import_module(name)
