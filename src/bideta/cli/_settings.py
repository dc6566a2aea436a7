"""``--set name=value`` on the command line → keyword arguments of a plugin."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def parse_settings(pairs: Sequence[str] | None, option: str = "--set") -> dict[str, Any]:
    """``["threads=1", "weights=a.onnx"]`` → ``{"threads": 1, "weights": "a.onnx"}``.

    ``tvl.weights=a.pth`` is a setting of one part of ``handmade+tvl``. A value that is JSON (a number, true, null, a
    list) is read as such; anything else is text.

    >>> parse_settings(["threads=1", "weights=a.onnx", "limit=null"])
    {'threads': 1, 'weights': 'a.onnx', 'limit': None}
    """
    settings = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.rpartition(".")[2].isidentifier():
            raise ValueError(f"{option} is {pair!r}, expected name=value")
        try:
            settings[name] = json.loads(value)
        except (json.JSONDecodeError, RecursionError):
            settings[name] = value
    return settings


def plugin_settings(pairs: list[str]) -> dict[str, dict[str, object]]:
    """``["tvl.weights=a.pth"]`` → ``{"tvl": {"weights": "a.pth"}}``.

    >>> plugin_settings(["tvl.weights=a.pth", "tvl.threads=1", "sitr.test=val_set"])
    {'tvl': {'weights': 'a.pth', 'threads': 1}, 'sitr': {'test': 'val_set'}}
    """
    settings: dict[str, dict[str, object]] = {}
    for pair in pairs:
        plugin, dot, rest = pair.partition(".")
        if not dot or "=" in plugin:
            raise ValueError(f"--set is {pair!r}, expected plugin.name=value, as in tvl.weights=FILE")
        settings.setdefault(plugin, {}).update(parse_settings([rest]))
    return settings
