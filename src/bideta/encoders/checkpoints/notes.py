"""What an exported ONNX file says of itself: facts of the encoder, mean and std of its input, as one JSON entry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bideta.encoders import EncoderInfo
from bideta.encoders.runners.preprocessing import Preprocessing

ENTRY = "bideta"  # its key in the file's metadata
FACTS = ("title", "licence", "reference", "url", "tactile", "parameters")


def write(info: EncoderInfo, preprocessing: Preprocessing) -> str:
    """The entry's text."""
    facts = {fact: getattr(info, fact) for fact in ("name", *FACTS)}
    return json.dumps({**facts, "mean": preprocessing.mean, "std": preprocessing.std}, sort_keys=True)


def read(metadata: Mapping[str, str]) -> tuple[dict[str, Any], Any, Any]:
    """Facts, mean and std; empty and None where the file does not say them."""
    notes: dict[str, Any] = json.loads(metadata.get(ENTRY) or "{}")
    return {fact: notes[fact] for fact in FACTS if fact in notes}, notes.get("mean"), notes.get("std")
