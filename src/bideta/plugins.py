"""One file is one plugin: encoders, datasets, methods and readers are found by their file name.

A plugin is a module with ``INFO`` (a dataclass of facts: reference, licence, …) and ``load(**settings)``.
``encoders/twin_tvl.py`` is the encoder ``twin-tvl``. Files that begin with an underscore are not plugins, and
neither are sub-packages: what plugins share lives there.
Other packages add theirs through the entry-point groups ``bideta.encoders``, ``bideta.datasets``, ``bideta.baselines``
and ``bideta.readers`` (name → module). ``family:argument`` hands ``argument`` to the plugin ``family``,
as in ``timm:vit_small_patch14_dinov2`` or ``onnx:encoder.onnx``. ``a+b`` is an encoder with the readouts of two.

Importing a plugin must be light: whatever is heavy (torch) is imported inside ``load``.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from bideta.spelling import did_you_mean

KINDS = {
    "encoder": "bideta.encoders",
    "dataset": "bideta.datasets",
    "method": "bideta.baselines",
    "reader": "bideta.readers",
}
COMBINED = "bideta.encoders.runners.side_by_side"  # makes one plugin of several encoders


def names(kind: str) -> list[str]:
    """Names of all plugins of a kind, sorted."""
    return sorted(_locations(kind))


def find(kind: str, name: str) -> ModuleType:
    """The plugin's module; an unknown name raises an error that lists the known ones."""
    parts = split(kind, name)
    if len(parts) > 1:
        combined: ModuleType = importlib.import_module(COMBINED).plugin(parts)
        return combined
    family, _, argument = name.partition(":")
    locations = _locations(kind)
    if family not in locations:
        hint = did_you_mean(family, locations)
        raise ValueError(f"unknown {kind} {name!r}.{hint} Known: {', '.join(sorted(locations))}")
    module = importlib.import_module(locations[family])
    # A family may be another plugin for every argument: difference:handmade has the facts and settings of handmade.
    return module.plugin(argument) if argument and hasattr(module, "plugin") else module


def split(kind: str, name: str) -> list[str]:
    """The encoders of ``a+b``; after a colon a plus sign parts only where the name of an encoder follows.

    >>> split("encoder", "handmade+efficientnet-lite0"), split("encoder", "onnx:c++/a.onnx+handmade")
    (['handmade', 'efficientnet-lite0'], ['onnx:c++/a.onnx', 'handmade'])
    """
    if kind != "encoder" or "+" not in name:
        return [name]
    known, parts = _locations(kind), [""]
    for piece in name.split("+"):
        if ":" in parts[-1] and piece.partition(":")[0] not in known:
            parts[-1] += f"+{piece}"
        else:
            parts.append(piece)
    return parts[1:]


def load(kind: str, name: str, **settings: Any) -> Any:
    """What the plugin's ``load`` returns for these settings."""
    argument = name.partition(":")[2] if len(split(kind, name)) == 1 else ""
    return find(kind, name).load(*([argument] if argument else []), **settings)


def load_encoder(name: str, **settings: Any) -> Any:
    """The encoder ``name``, or several as ``a+b``: frames in, readouts out."""
    return load("encoder", name, **settings)


def load_dataset(name: str, **settings: Any) -> Any:
    """The dataset ``name``: sensor and split in, frames and labels out."""
    return load("dataset", name, **settings)


def load_method(name: str, **settings: Any) -> Any:
    """The adaptation method ``name`` (``bideta`` or a baseline): ``fit`` and ``predict_proba``."""
    return load("method", name, **settings)


def _locations(kind: str) -> dict[str, str]:
    """Plugin name → module path; a third party cannot replace one of ours."""
    package = KINDS[kind]
    found = {point.name: point.value for point in _installed().select(group=package)}
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if not module.ispkg and not module.name.startswith("_"):
            found[module.name.replace("_", "-")] = f"{package}.{module.name}"
    return found


@cache
def _installed() -> Any:
    """What other packages add, looked up once: it reads a file of every installed package."""
    return entry_points()
