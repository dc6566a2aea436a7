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
