"""Files of a few bytes that ask for gigabytes or minutes are refused by their headers."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from bideta.images.reading import ImageError, decode_image


def saved(kind: str, size=(64, 48), **options) -> bytes:
    rng = np.random.default_rng(0)
    out = io.BytesIO()
    Image.fromarray(rng.integers(0, 256, (*size[::-1], 3), np.uint8)).save(out, kind, **options)
    return out.getvalue()


def tiff(*entries: tuple[int, int, int, int]) -> bytes:
    """A TIFF that is a list of entries: number, type, count, value."""
    body = b"".join(struct.pack("<HHLL", *entry) for entry in entries)
    return b"II*\0" + struct.pack("<LH", 8, len(entries)) + body + bytes(64)


def plain(**changes: tuple[int, int, int]) -> bytes:
    """Entries of an 8 × 8 grey picture, some changed: number → type, count, value."""
    entries = {256: (3, 1, 8), 257: (3, 1, 8), 258: (3, 1, 8), 259: (3, 1, 5), 262: (3, 1, 1), 277: (3, 1, 1)}
    entries |= {int(name[1:]): value for name, value in changes.items()}
    return tiff(*((number, *rest) for number, rest in sorted(entries.items())))


def refused(content: bytes, reason: str) -> None:
    with pytest.raises(ImageError, match=rf"cannot read x\.png: {reason}"):
        decode_image(io.BytesIO(content), "x.png")


def test_a_jpeg_with_thousands_of_scans_is_refused():
    good = saved("JPEG", progressive=True)
    last = good[good.rfind(b"\xff\xda") : -2]
    refused(good[:-2] + 5000 * last + good[-2:], "more than 64 scans")
    assert decode_image(io.BytesIO(good[:-2] + 20 * last + good[-2:]), "x").shape == (48, 64, 3)


def exif(values: int) -> bytes:
    """An orientation that is a list of fractions; Pillow makes an object of each."""
    entry = struct.pack(">HHLL", 274, 5, values, 26)
    return b"MM\0*" + struct.pack(">LH", 8, 1) + entry + bytes(4) + struct.pack(">LL", 6, 1) * values


def with_exif(kind: str, content: bytes) -> bytes:
    good = saved(kind)
    if kind == "JPEG":
        parts = (b"Exif\0\0" + content[i : i + 65_000] for i in range(0, len(content), 65_000))
        return good[:2] + b"".join(b"\xff\xe1" + struct.pack(">H", len(p) + 2) + p for p in parts) + good[2:]
    crc = zlib.crc32(b"eXIf" + content)
    return (
        good[:33] + struct.pack(">L", len(content)) + b"eXIf" + content + struct.pack(">L", crc) + good[33:]
    )


@pytest.mark.parametrize(
    ("kind", "reason"), [("JPEG", "more than 2 parts of EXIF"), ("PNG", "EXIF of more than 131,072 bytes")]
)
def test_exif_of_megabytes_is_refused(kind, reason):
    """16 MB of it took 550 MB and six seconds."""
    refused(with_exif(kind, exif(30_000)), reason)
    assert decode_image(io.BytesIO(with_exif(kind, exif(1))), "x").shape == (64, 48, 3)  # turned


def test_entries_of_a_tiff_that_show_the_same_bytes_are_refused():
    """Pillow before 13 copied them for each entry: 10 MB became 5.8 GB."""
    refused(plain(**{f"t{30_000 + i}": (7, 200, 0) for i in range(9)}), "entries of the TIFF that lie over")


def test_scans_at_the_edge_of_a_block_are_counted(monkeypatch):
    monkeypatch.setattr("bideta.images.headers.BLOCK", 3)
    refused(b"\xff\xd8" + b"\xff\xda\0" * 66, "more than 64 scans")
    refused(b"\xff\xd8\0" + b"\xff\xda" * 66, "more than 64 scans")


def test_tiles_larger_than_any_picture_are_refused():
    refused(plain(t322=(4, 1, 65536), t323=(4, 1, 65536)), "tiles of 65,536 × 65,536 pixels")


def test_a_million_tiles_are_refused():
    refused(plain(t324=(4, 1_000_000, 8)), "entry 324 of the TIFF holds 1,000,000 values")


@pytest.mark.parametrize("compression", [6, 34925, 50000, 50001])
def test_other_compressions_of_tiff_are_refused(compression):
    refused(plain(t259=(3, 1, compression)), f"TIFF compression {compression}")


def test_a_bigtiff_is_refused():
    refused(b"II+\0" + bytes(100), "a BigTIFF")


@pytest.mark.parametrize(
    "options",
    [{}, {"compression": "tiff_lzw"}, {"compression": "jpeg"}, {"compression": "packbits"}],
    ids=["plain", "lzw", "jpeg", "packbits"],
)
def test_usual_tiffs_are_read(options):
    assert decode_image(io.BytesIO(saved("TIFF", **options)), "x").shape == (48, 64, 3)


def test_a_run_length_bmp_is_refused_before_its_decoder_runs():
    """64 bytes that ask Pillow's decoder for two gigabytes of zeros."""
    width = 8_000_000
    head = struct.pack("<LLLHHLLLLLL", 40, width, 1, 1, 8, 1, 0, 0, 0, 256, 0) + bytes(1024)
    body = b"\0\x02\0\xff" * 2
    content = b"BM" + struct.pack("<LLL", 14 + len(head) + len(body), 0, 14 + len(head)) + head + body
    refused(content, "a run-length BMP")
