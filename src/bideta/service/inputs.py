"""Any input that holds contacts: a folder, a video, a bag, arrays, …; and the encoder that fits what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bideta.readers import Contacts, open_contacts
from bideta.service.choices import DEFAULT_ENCODER


def open_input(path: Path, format: str = "", settings: Mapping[str, Any] | None = None) -> Contacts:
    """The contacts of any input."""
    return open_contacts(path, format, **(settings or {}))


def fitting_encoder(contacts: Contacts, name: str, settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name and settings of the encoder: the one that was asked for, or that of signals or readouts.

    The default encoder is one of pictures; an input without pictures takes another by itself.
    """
    if contacts.kind == "picture" or name != DEFAULT_ENCODER:
        return name, dict(settings)
    if contacts.kind == "readouts":
        return "given", {"widths": list(contacts.widths), **settings}
    return "signals", {"channels": len(np.asarray(contacts.pictures[0])), **settings}
