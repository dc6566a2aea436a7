"""Pictures with flipped bits, false sizes, repeated pieces and impossible entries: refused, or read as RGB."""

from __future__ import annotations

import io
import os
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from PIL import Image

from attacks.tally import Tally
from attacks.worker import judged
from bideta.images.reading import ImageError, decode_image

KINDS: dict[str, list[dict[str, object]]] = {
    "PNG": [{}, {"optimize": True}],
    "JPEG": [{}, {"progressive": True}, {"subsampling": 0}],
    "BMP": [{}],
    "TIFF": [{"compression": c} for c in ("raw", "tiff_lzw", "tiff_adobe_deflate", "jpeg", "packbits")],
    "WEBP": [{}, {"lossless": True}],
}
MODES = ("RGB", "L", "P", "RGBA", "1", "CMYK")
HUGE = (0, 1, 2, 0x7F, 0xFF, 0x100, 0x7FFF, 0xFFFF, 0x10000, 20_000_000, 0x7FFFFFFF, 0xFFFFFFFF)


@cache
def originals() -> tuple[tuple[str, bytes], ...]:
    """Format and bytes of sound files of every kind."""
    rng, made = np.random.default_rng(0), []
    exif = Image.Exif()
    exif[0x0112] = 6
    for kind, all_options in KINDS.items():
        for options in all_options:
            for mode in MODES:
                image = Image.fromarray(rng.integers(0, 256, (20, 24, 3), np.uint8)).convert(mode)
                if options.get("compression") == "jpeg" and mode not in ("L", "RGB"):
                    continue  # refused by libtiff, and some versions of it are damaged by the refusal
                out = io.BytesIO()
                try:
                    image.save(out, kind, **options, **({} if kind == "BMP" else {"exif": exif}))
                except (OSError, RuntimeError, ValueError):
                    continue  # this format has no such mode
                made.append((kind, out.getvalue()))
    return tuple(made)


def altered(content: bytes, rng: np.random.Generator) -> bytes:
    """A few bytes are others."""
    bad = bytearray(content)
    for place in rng.integers(0, len(bad), int(rng.integers(1, 12))):
        bad[place] = int(rng.integers(256))
    return bytes(bad)


def cut(content: bytes, rng: np.random.Generator) -> bytes:
    """The file ends early."""
    return content[: int(rng.integers(len(content)))]


def repeated(content: bytes, rng: np.random.Generator) -> bytes:
    """A piece comes again, up to thousands of times; of a JPEG, a whole scan."""
    scan = content.rfind(b"\xff\xda")
    start = scan if scan > 0 and rng.random() < 0.5 else int(rng.integers(len(content)))
    piece = content[start : start + int(rng.integers(1, 400))]
    return content[:start] + piece * int(rng.choice([2, 10, 100, 5000])) + content[start:]


def sized(content: bytes, rng: np.random.Generator) -> bytes:
    """A number of two or four bytes is another; the checksum of a PNG's header is right again."""
    bad = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        width, order = int(rng.choice([2, 4])), str(rng.choice(["<", ">"]))
        value = int(rng.choice(HUGE)) & (2 ** (8 * width) - 1)
        place = int(rng.integers(min(len(bad) - 4, 120 if rng.random() < 0.7 else len(bad))))
        struct.pack_into(f"{order}{'H' if width == 2 else 'L'}", bad, place, value)
    if bad.startswith(b"\x89PNG") and len(bad) > 33:
        struct.pack_into(">L", bad, 29, zlib.crc32(bytes(bad[12:29])))
    return bytes(bad)


def entries(content: bytes, rng: np.random.Generator) -> bytes:
    """An entry of a TIFF (or of EXIF, which is one) has another number, type, count or value."""
    place = max(content.find(b"II*\0"), content.find(b"MM\0*"))
    if place < 0:
        return sized(content, rng)
    order = "<" if content[place : place + 1] == b"I" else ">"
    bad = bytearray(content)
    try:
        (offset,) = struct.unpack_from(f"{order}L", bad, place + 4)
        (count,) = struct.unpack_from(f"{order}H", bad, place + offset)
        for _ in range(int(rng.integers(1, 4))):
            entry = place + offset + 2 + 12 * int(rng.integers(max(count, 1)))
            number = int(
                rng.choice([256, 257, 258, 259, 262, 273, 274, 277, 278, 279, 284, 322, 323, 324, 325, 330])
            )
            kind, many = int(rng.integers(0, 19)), int(rng.choice(HUGE))
            struct.pack_into(f"{order}HHLL", bad, entry, number, kind, many, int(rng.choice(HUGE)))
    except struct.error:
        return sized(content, rng)
    return bytes(bad)


def joined(content: bytes, rng: np.random.Generator) -> bytes:
    """The beginning of one file and the end of another."""
    _, other = originals()[int(rng.integers(len(originals())))]
    return content[: int(rng.integers(len(content)))] + other[int(rng.integers(len(other))) :]


WAYS: tuple[Callable[[bytes, np.random.Generator], bytes], ...] = (
    altered,
    cut,
    repeated,
    sized,
    entries,
    joined,
)


def answer(content: bytes) -> None:
    """Read the picture; what is read is RGB."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow warns about broken metadata and reads on
        pixels = decode_image(io.BytesIO(content), "x.png")
    assert pixels.ndim == 3
    assert pixels.shape[2] == 3
    assert pixels.dtype == np.uint8
    assert pixels.size


def warm_up() -> None:
    """Load every decoder; libtiff's own complaints are not for people."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for _, content in originals():
        answer(content)


def cases(rng: np.random.Generator, tries: int) -> Iterator[bytes]:
    """Files, every format and every way in turn."""
    for number in range(tries):
        _, content = originals()[number % len(originals())]
        yield WAYS[int(rng.integers(len(WAYS)))](content, rng)


def attack(rng: np.random.Generator, tries: int) -> Tally:
    """Read every one of them."""
    return judged("images", cases(rng, tries), answer, (ImageError,))
