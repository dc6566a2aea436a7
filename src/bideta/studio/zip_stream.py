"""A ZIP that is sent while it is made: no more of it is in memory than its last files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator

SENT = 2**20  # bytes that are gathered before they are sent


class _Tail(io.RawIOBase):
    """The end of a file that is being written; what is taken is gone. ``zipfile`` goes back to the last entry only."""

    def __init__(self) -> None:
        self._start, self._position, self._bytes = 0, 0, bytearray()

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence != io.SEEK_SET or offset < self._start:
            raise io.UnsupportedOperation("that part of the file has been sent")
        self._position = offset
        return offset

    def write(self, content: bytes) -> int:  # type: ignore[override]
        begin = self._position - self._start
        self._bytes[begin : begin + len(content)] = content
        self._position += len(content)
        return len(content)

    def held(self) -> int:
        return len(self._bytes)

    def take(self) -> bytes:
        taken = bytes(self._bytes)
        self._start += len(taken)
        self._bytes.clear()
        return taken


def zipped(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """The pieces of a ZIP with these files (path, content); images do not compress, so they are only stored."""
    tail = _Tail()
    with zipfile.ZipFile(tail, "w", zipfile.ZIP_STORED) as target:
        for name, content in files:
            target.writestr(zipfile.ZipInfo(name), content)
            if tail.held() >= SENT:
                yield tail.take()
    yield tail.take()
