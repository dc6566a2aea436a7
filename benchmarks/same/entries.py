"""What an entry of the record is, and how calls survive that a parameter gets another name."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

# Name and answer: numbers, truth values or text.
Entries = Iterator[tuple[str, Any]]

# Today's module of every name; the front door ``bideta.deploy`` is tried first.
MODULES = {
    "OnlineBideta": "online",
    "calibrate": "calibration",
    "conformal_sets": "conformal",
    "find_unknown": "novelty",
    "hold_out": "heldout",
    "reject": "reject",
    "reliability": "reject",
    "suggest": "suggest",
    "tune": "tune",
}
# Parameter as it is called today, and as it may be called.
NEW_NAMES = {"groups": "presses", "held": "hidden"}


def deploy(name: str) -> Any:
    """A public name of ``bideta.deploy``, from the front door or from the module that has it today."""
    front = importlib.import_module("bideta.deploy")
    found = getattr(front, name, None)
    if found is None or inspect.ismodule(found):  # a submodule of the same name is not the function
        found = getattr(importlib.import_module(f"bideta.deploy.{MODULES[name]}"), name)
    return found


def call(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """``function`` with today's names of its parameters, or the new ones where it has those."""
    known = inspect.signature(function).parameters
    return function(
        *arguments,
        **{
            new if (new := NEW_NAMES.get(name, name)) in known else name: value
            for name, value in named.items()
        },
    )
