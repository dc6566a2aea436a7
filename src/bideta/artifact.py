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

MAX_HEADER = 50_000_000  # bytes; a hundred thousand classes with long names need a tenth of it
DEPTH = 50  # of lists and tables inside each other; a name of a class may be a tuple of tuples
FORMAT_VERSION = 1  # raise it when an older bideta could misread the file
KINDS = {  # how files begin that are given by mistake
    b"\xff\xd8": "a JPEG picture",
    b"\x89PNG": "a PNG picture",
    b"\x89HDF": "an HDF5 file",
    b"PK": "a zip or numpy archive",
}


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
        _check_size(path)
        with safetensors.safe_open(path, framework="np") as stream:
            text = (stream.metadata() or {}).get("bideta")
            if text is None:
                raise ArtifactError(
                    f"{path} is a safetensors file but not a bideta artifact; use one from Bideta.save"
                )
            envelope = json.loads(text, parse_constant=_refuse)
            version = envelope["format"]
            if version != FORMAT_VERSION:
                raise ArtifactError(
                    f"{path} has artifact format {version}, this bideta reads format {FORMAT_VERSION}; "
                    "upgrade bideta, or save the artifact again with this version"
                )
            arrays = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118 (not a dict)
        header = envelope.get("header")
        if not isinstance(header, dict):
            raise TypeError("its header is no table")
        _check_depth(header)
        digest = _digest(header, arrays)
    except ArtifactError:
        raise
    except (safetensors.SafetensorError, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ArtifactError(
            f"{path} is damaged, truncated or not a bideta artifact ({str(error)[:300]}); save it again"
        ) from error
    except RecursionError as error:
        raise ArtifactError(f"{path} is not a bideta artifact: its header is nested too deeply") from error
    if digest != envelope.get("sha256"):
        raise ArtifactError(
            f"{path} is damaged: its checksum does not match its content; save or copy it again"
        )
    return header, arrays


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The header alone, unchecked but for its size: for lists of many files, never for what is computed with."""
    _check_size(Path(path))
    with safetensors.safe_open(path, framework="np") as stream:
        header = json.loads((stream.metadata() or {})["bideta"], parse_constant=_refuse)["header"]
    if not isinstance(header, dict):
        raise TypeError(f"{path} is not a bideta artifact: its header is no table")
    return header


def _check_size(path: Path) -> None:
    """Raise where the file is another one, or its header larger than any that ``write`` makes: that is parsed whole."""
    with path.open("rb") as stream:
        start = stream.read(9)
    length = int.from_bytes(start[:8], "little")
    if start[8:] not in (b"", b"{"):  # after its length a header is JSON; a shorter file may be a part of one
        kind = next((kind for begin, kind in KINDS.items() if start.startswith(begin)), "")
        text = all(byte >= ord(" ") or byte in b"\t\r\n" for byte in start)
        looks = kind or ("text, such as a table" if text else "another file")
        raise ArtifactError(
            f"{path} is not a bideta artifact, it looks like {looks}: expected a file that bideta adapt or Bideta.save "
            "wrote, such as sensor.bideta"
        )
    if length > MAX_HEADER:
        raise ValueError(f"a header of {length:,} bytes, at most {MAX_HEADER:,} are expected")


def _check_depth(header: dict[str, Any]) -> None:
    """Raise where the header is nested so deeply that printing or comparing it could fail."""
    level: list[Any] = [header]
    for _ in range(DEPTH):
        level = [inner for value in level for inner in (value.values() if isinstance(value, dict) else value)]
        level = [value for value in level if isinstance(value, dict | list)]
        if not level:
            return
    raise ValueError(f"its header is nested more than {DEPTH} times")


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} in its header")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)


def _digest(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(_text(header).encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        digest.update(arrays[name].data)
    return digest.hexdigest()
