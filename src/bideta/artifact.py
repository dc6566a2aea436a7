"""A file of named arrays and a JSON header: safetensors inside, no pickle, checksummed, written atomically.

This module knows bytes, not the method: what the header and the arrays mean is the estimator's business.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from bideta.images.files import write_atomic

FORMAT_VERSION = 1  # raise it when an older bideta could misread the file


class ArtifactError(ValueError):
    """The file cannot be used; the message says which file, why, and what to do."""


def write(path: str | os.PathLike[str], header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Write the file whole or not at all: to a temporary neighbour, flushed to disk, then renamed."""
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot save {path}: folder {path.parent} does not exist; create it first")
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    envelope = {"format": FORMAT_VERSION, "header": header, "sha256": _digest(header, arrays)}
    # One metadata entry, for safetensors writes several in no fixed order: the same content is the same bytes.
    write_atomic(path, safetensors.numpy.save(arrays, metadata={"bideta": _text(envelope)}))


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a file written by ``write``; anything else is refused with the reason."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no artifact at {path}: expected a file written by Bideta.save")
    try:
        with safetensors.safe_open(path, framework="np") as stream:
            text = (stream.metadata() or {}).get("bideta")
            if text is None:
                raise ArtifactError(
                    f"{path} is a safetensors file but not a bideta artifact; use one from Bideta.save"
                )
            envelope = json.loads(text)
            version = envelope["format"]
            if version != FORMAT_VERSION:
                raise ArtifactError(
                    f"{path} has artifact format {version}, this bideta reads format {FORMAT_VERSION}; "
                    "upgrade bideta, or save the artifact again with this version"
                )
            arrays = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118 (not a dict)
    except ArtifactError:
        raise
    except (safetensors.SafetensorError, OSError, ValueError, TypeError, KeyError) as error:
        raise ArtifactError(
            f"{path} is damaged, truncated or not a bideta artifact ({error}); save it again"
        ) from error
    header: dict[str, Any] = envelope.get("header", {})
    if _digest(header, arrays) != envelope.get("sha256"):
        raise ArtifactError(
            f"{path} is damaged: its checksum does not match its content; save or copy it again"
        )
    return header, arrays


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)


def _digest(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(_text(header).encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()
