"""An encoder or a dataset by name, with settings that are checked before it is loaded."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from bideta.plugins import find, load


def load_plugin(kind: str, name: str, settings: Mapping[str, Any], *, download: bool = False) -> Any:
    """The plugin; a setting of a wrong name or type is a readable error.

    ``kind`` is "encoder" or "dataset". ``download`` allows it to fetch its weights.
    """
    settings = {**settings, "download": True} if download else dict(settings)
    known = inspect.signature(find(kind, name).load).parameters
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        for setting in settings:
            if setting not in known:
                raise ValueError(
                    f"the {kind} {name!r} has no setting {setting!r}. Known: {', '.join(known) or 'none'}"
                )
    try:
        return load(kind, name, **settings)
    except TypeError as error:
        raise ValueError(f"the {kind} {name!r} does not take the settings {settings}: {error}") from error
