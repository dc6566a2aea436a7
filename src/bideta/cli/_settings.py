"""``--set name=value`` on the command line → keyword arguments of a plugin."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any

from bideta.plugins import find


def parse_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """``["threads=1", "weights=a.onnx"]`` → ``{"threads": 1, "weights": "a.onnx"}``.

    A value that is JSON (a number, true, null, a list) is read as such; anything else is text.

    >>> parse_settings(["threads=1", "weights=a.onnx", "limit=null"])
    {'threads': 1, 'weights': 'a.onnx', 'limit': None}
    """
    settings = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise ValueError(f"--set is {pair!r}, expected name=value")
        try:
            settings[name] = json.loads(value)
        except json.JSONDecodeError:
            settings[name] = value
    return settings


def load_plugin(load: Callable[..., Any], name: str, settings: dict[str, Any]) -> Any:
    """``load(name, **settings)``; a setting of a wrong name or type is a readable error."""
    kind = load.__name__.removeprefix("load_")
    known = inspect.signature(find(kind, name).load).parameters
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        for setting in settings:
            if setting not in known:
                raise ValueError(
                    f"the {kind} {name!r} has no setting {setting!r}. Known: {', '.join(known) or 'none'}"
                )
    try:
        return load(name, **settings)
    except TypeError as error:
        raise ValueError(f"the {kind} {name!r} does not take the settings {settings}: {error}") from error
