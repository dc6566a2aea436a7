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
    return sorted(_installed(KINDS[kind]) | _ours(KINDS[kind]))


def find(kind: str, name: str) -> ModuleType:
    """The plugin's module; an unknown name raises an error that lists the known ones."""
    parts = split(kind, name)
    if len(parts) > 1:
        combined: ModuleType = importlib.import_module(COMBINED).plugin(parts)
        return combined
    family, _, argument = name.partition(":")
    location = _location(kind, family)
    if not location:
        known = names(kind)
        raise ValueError(f"unknown {kind} {name!r}.{did_you_mean(family, known)} Known: {', '.join(known)}")
    module = importlib.import_module(location)
    # A family may be another plugin for every argument: difference:handmade has the facts and settings of handmade.
    return module.plugin(argument) if argument and hasattr(module, "plugin") else module


def split(kind: str, name: str) -> list[str]:
    """The encoders of ``a+b``; after a colon a plus sign parts only where the name of an encoder follows.

    >>> split("encoder", "handmade+efficientnet-lite0"), split("encoder", "onnx:c++/a.onnx+handmade")
    (['handmade', 'efficientnet-lite0'], ['onnx:c++/a.onnx', 'handmade'])
    """
    if kind != "encoder" or "+" not in name:
        return [name]
    parts = [""]
    for piece in name.split("+"):
        if ":" in parts[-1] and not _location(kind, piece.partition(":")[0]):
            parts[-1] += f"+{piece}"
        else:
            parts.append(piece)
    return parts[1:]


def load(kind: str, name: str, **settings: Any) -> Any:
    """What the plugin's ``load`` returns for these settings."""
    argument = name.partition(":")[2] if len(split(kind, name)) == 1 else ""
    return find(kind, name).load(*([argument] if argument else []), **settings)


def load_encoder(name: str, **settings: Any) -> Any:
    """The encoder ``name``, or several as ``a+b``: frames in, readouts out.

    Args:
        name: one of ``bideta encoders``; ``onnx:FILE`` and ``timm:MODEL`` too.
        settings: of that encoder, such as ``device`` or ``background``.

    Returns:
        An ``Encoder``: ``encode(images)`` gives a tuple of arrays (n, d).
    """
    return load("encoder", name, **settings)


def load_dataset(name: str, **settings: Any) -> Any:
    """The dataset ``name``: sensor and split in, frames and labels out.

    Args:
        name: ``sitr``, ``tacverse``, ``tacquad``, a simulated twin, or ``folder`` for yours.
        settings: of that dataset, such as ``root``.

    Returns:
        A ``Dataset``: ``frames(sensor, split)`` gives ``Frames``.
    """
    return load("dataset", name, **settings)


def load_method(name: str, **settings: Any) -> Any:
    """The adaptation method ``name`` (``bideta`` or a baseline): ``fit`` and ``predict_proba``.

    Args:
        name: ``bideta``, or a comparison such as ``lda`` or ``simpleshot``.
        settings: of that method.

    Returns:
        An estimator with ``fit``, ``predict`` and ``predict_proba``.
    """
    return load("method", name, **settings)


def _location(kind: str, name: str) -> str:
    """Module path of a plugin, or ""; those of other packages are looked up where it is none of ours."""
    return _ours(KINDS[kind]).get(name) or _installed(KINDS[kind]).get(name, "")


@cache
def _ours(package: str) -> dict[str, str]:
    """Plugin name → module path, of the files in the package."""
    found = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return {
        module.name.replace("_", "-"): f"{package}.{module.name}"
        for module in found
        if not module.ispkg and not module.name.startswith("_")
    }


@cache
def _installed(package: str) -> dict[str, str]:
    """The same of what other packages add; this reads a file of every installed one."""
    from importlib.metadata import entry_points  # a thirtieth of a second

    return {point.name: point.value for point in entry_points(group=package)}
