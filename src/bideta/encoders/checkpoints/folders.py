"""The weights folder: ``$BIDETA_WEIGHTS``, then ``~/.cache/bideta/weights``.

What is made from a weight file once (conversions, exports) goes to ``converted/`` inside it.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from bideta.images.files import write_atomic

FOLDER_VARIABLE = "BIDETA_WEIGHTS"


def folders() -> list[Path]:
    """Where weight files are looked for; the first is also where conversions are written."""
    default = Path.home() / ".cache" / "bideta" / "weights"
    named = os.environ.get(FOLDER_VARIABLE)
    return [Path(named).expanduser(), default] if named else [default]


def converted(name: str) -> list[Path]:
    """Conversions of that name that were made before."""
    paths = [folder / "converted" / name for folder in folders()]
    return [path for path in paths if path.is_file()]


def keep_converted(name: str, content: bytes) -> Path:
    """The conversion's file, written whole."""
    path = folders()[0] / "converted" / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
    except OSError as error:
        raise OSError(
            f"cannot write {path} ({error}); set {FOLDER_VARIABLE} to a folder that can be written"
        ) from error
    return path


def sha256_of(path: Path) -> str:
    """Hash of the file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
