from __future__ import annotations

import io
import tracemalloc
import zipfile

from bideta.studio.zip_stream import zipped

FILES = [(f"labelled/schön {i}/{i:05d}.png", bytes([i]) * (1000 * i)) for i in range(60)]


def test_the_pieces_are_what_zipfile_writes_to_a_file():
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as target:
        for name, content in FILES:
            target.writestr(zipfile.ZipInfo(name), content)
    pieces = list(zipped(FILES))
    assert b"".join(pieces) == whole.getvalue()
    assert len(pieces) > 1
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        assert archive.testzip() is None
        assert [(name, archive.read(name)) for name in archive.namelist()] == FILES


def test_memory_does_not_grow_with_the_files():
    tracemalloc.start()
    try:
        sent = sum(len(piece) for piece in zipped((f"{i}.png", bytes(500_000)) for i in range(100)))
        assert sent > 50_000_000
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
