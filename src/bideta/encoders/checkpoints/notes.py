"""What an exported ONNX file says of itself: facts of the encoder, how its input is prepared, as one JSON entry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bideta.encoders import EncoderInfo
from bideta.encoders.runners.preprocessing import PIL_FILTERS, Preprocessing

ENTRY = "bideta"  # its key in the file's metadata
RESIZE = "pil-bicubic"  # of a file that does not say it
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
    scale = {"mean": preprocessing.mean, "std": preprocessing.std}
    plain = (
        preprocessing.resize == RESIZE and preprocessing.shorter is None
    )  # then files say what they always said
    frame = {} if plain else {"resize": preprocessing.resize, "shorter": preprocessing.shorter}
    return json.dumps({**facts, **scale, **frame}, sort_keys=True)


def read(metadata: Mapping[str, str], name: str) -> tuple[dict[str, Any], Any, Any, dict[str, Any]]:
    """Facts, mean, std, and how frames are resized; empty and None where the file ``name`` does not say them."""
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
    resize, shorter = notes.get("resize", RESIZE), notes.get("shorter")
    if resize not in tuple(PIL_FILTERS) or not (shorter is None or type(shorter) is int):
        raise ValueError(
            f"{name} notes another way of resizing than {', '.join(PIL_FILTERS)}; export it again"
        )
    facts = {fact: notes[fact] for fact in FACTS if fact in notes}
    return facts, notes.get("mean"), notes.get("std"), {"resize": resize, "shorter": shorter}
