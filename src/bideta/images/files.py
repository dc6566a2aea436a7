"""A file or a folder is written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_atomic(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content``; after a crash the old file or the new one is there, never a part."""
    with replacing(path) as stream:
        stream.write(content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """An open file that takes the place of ``path`` when the block ends without an error.

    A link stays, and the file that it leads to is replaced. A device or a pipe is written to: it is no file that could
    be replaced, and ``/dev/stdout`` is meant as it is.
    """
    try:
        with _replacing(path) as stream:
            yield stream
    except OSError as error:
        if error.errno and error.filename is None:  # a full disk does not say what it had no room for
            error.filename = str(path)
        raise


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)  # mkstemp made the file private; give it the permissions a plain open would
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):  # the rename itself must survive a power cut too
        folder = os.open(path.parent, os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into; it becomes ``folder`` when the block ends without an error, else it is removed."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} exists and is not empty; choose a new folder or remove it")
    unfinished = folder.parent / f".{folder.name}-{uuid.uuid4().hex}"
    unfinished.mkdir(parents=True)
    try:
        yield unfinished
        if folder.exists():
            folder.rmdir()
        os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
