"""What an exported ONNX file says of itself: facts of the encoder, mean and std of its input, as one JSON entry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bideta.encoders import EncoderInfo
from bideta.encoders.runners.preprocessing import Preprocessing

ENTRY = "bideta"  # its key in the file's metadata
FACTS = {
    "title": str,
    "licence": str,
    "reference": str,
    "url": str,
    "tactile": bool,
    "parameters": int | None,
}


def write(info: EncoderInfo, preprocessing: Preprocessing) -> str:
    """The entry's text."""
    facts = {fact: getattr(info, fact) for fact in ("name", *FACTS)}
    return json.dumps({**facts, "mean": preprocessing.mean, "std": preprocessing.std}, sort_keys=True)


def read(metadata: Mapping[str, str], name: str) -> tuple[dict[str, Any], Any, Any]:
    """Facts, mean and std; empty and None where the file ``name`` does not say them."""
    try:
        notes = json.loads(metadata.get(ENTRY) or "{}")
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{name} has notes that cannot be read ({type(error).__name__}); export it again"
        ) from error
    if not isinstance(notes, dict):
        raise ValueError(f"{name} has notes that are no table; export it again")
    for fact, kind in FACTS.items():
        if fact in notes and not isinstance(notes[fact], kind):
            raise ValueError(f"{name} notes {fact} as {str(notes[fact])[:40]!r}; export it again")
    return {fact: notes[fact] for fact in FACTS if fact in notes}, notes.get("mean"), notes.get("std")
