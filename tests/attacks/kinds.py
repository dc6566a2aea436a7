"""Every kind of attack, by its file name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

import numpy as np

import attacks
from attacks.tally import Tally

Attack = Callable[[np.random.Generator, int], Tally]
MACHINERY = ("kinds", "page", "tally", "worker", "__main__")


def kinds() -> dict[str, Attack]:
    """Name → ``attack`` of every module beside this one."""
    names = [module.name for module in pkgutil.iter_modules(attacks.__path__)]
    found = [name for name in names if name not in MACHINERY and not name.startswith("test_")]
    return {name: importlib.import_module(f"attacks.{name}").attack for name in found}
