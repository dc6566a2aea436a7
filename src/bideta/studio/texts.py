"""Names and labels as users send them, cleaned."""

from __future__ import annotations

import unicodedata

from bideta.studio.limits import Limits


class LabelError(ValueError):
    """A label that cannot be a class name; the message says why."""


def clean_name(name: str, limits: Limits) -> str:
    """The name as one line of text; it is shown, and never used as a path."""
    text = "".join(" " if unicodedata.category(c).startswith("C") else c for c in name).strip()
    return text[-limits.name_length :] or "unnamed"


def clean_label(label: str | None, limits: Limits) -> str | None:
    """The label without outer blanks; None and blank mean "no label"."""
    if label is None or not label.strip():
        return None
    text = unicodedata.normalize("NFC", label.strip())
    if len(text) > limits.label_length:
        raise LabelError(f"label of {len(text)} characters, at most {limits.label_length} are allowed")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Cf", "Zl", "Zp") for c in text):
        raise LabelError(f"label {text!r} holds control characters; use plain text")
    if text.startswith(".") or "/" in text or "\\" in text:
        raise LabelError(
            f"label {text!r} must not begin with a dot or hold a slash: it names a folder on export"
        )
    return text
