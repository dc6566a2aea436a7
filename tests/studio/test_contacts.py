from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from bideta.plugins import load_encoder
from bideta.studio.contacts import LabelError, Upload, clean_label, clean_name, encode, look
from bideta.studio.limits import Limits
from support.studio_server import picture

LIMITS = Limits(image_bytes=100_000, image_pixels=1_000_000)


def bomb(width=60_000, height=60_000):
    """A few hundred bytes that say they are 3.6 gigapixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = lambda kind, data: (  # noqa: E731
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    )
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


def test_an_image_bomb_is_refused_by_its_header():
    seen, rejected = look([Upload("bomb.png", bomb())], LIMITS)
    assert not seen
    assert "bomb.png" in rejected[0]["error"]
    assert "pixels" in rejected[0]["error"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"GIF89a" + b"\0" * 50,
        b"\x89PNG\r\n\x1a\n",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    ],
)
def test_what_is_no_image_is_named_and_the_others_go_on(content):
    seen, rejected = look([Upload("bad", content), Upload("good.png", picture("bolt", 0))], LIMITS)
    assert [picture.name for picture in seen] == ["good.png"]
    assert rejected[0]["error"].startswith("cannot read bad: ")


def test_large_files_are_refused_before_they_are_decoded():
    _, rejected = look([Upload("large.png", picture("bolt", 0) + b"\0" * 100_000)], LIMITS)
    assert "100,000" in rejected[0]["error"]


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [("PNG", ".png"), ("JPEG", ".jpg"), ("BMP", ".bmp"), ("TIFF", ".tif"), ("WEBP", ".webp")],
)
def test_the_ending_comes_from_the_bytes_and_the_small_picture_is_png(kind, suffix):
    seen, _ = look([Upload("frame.exe", picture("key", 1, kind, size=(400, 200)))], Limits())
    assert seen[0].suffix == suffix
    small = Image.open(io.BytesIO(seen[0].thumb))
    assert small.format == "PNG"
    assert small.size == (128, 64)


def test_readouts_do_not_depend_on_how_uploads_were_grouped():
    encoder = load_encoder("twin-tvl", threads=1)
    frames = [np.random.default_rng(i).integers(0, 255, (20, 24, 3), dtype=np.uint8) for i in range(7)]
    together = encode(encoder, frames)
    for sizes in ([1] * 7, [1, 6], [3, 4]):
        parts, start = [], 0
        for size in sizes:
            parts.append(encode(encoder, frames[start : start + size]))
            start += size
        for v in range(2):
            np.testing.assert_array_equal(np.concatenate([part[v] for part in parts]), together[v])


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a\nb\x00.png", "a b .png"),
        ("../../etc/passwd", "../../etc/passwd"),
        ("\u202egnp.exe", "gnp.exe"),
        ("", "unnamed"),
        ("x" * 999, "x" * 300),
    ],
)
def test_names_are_one_line_of_text(given, kept):
    assert clean_name(given, LIMITS) == kept


def test_labels_are_trimmed_and_blank_means_none():
    assert clean_label("  nut [M8] ", LIMITS) == "nut [M8]"
    assert clean_label("  ", LIMITS) is None
    assert clean_label("e\u0301", LIMITS) == "é"


@pytest.mark.parametrize("label", ["..", ".hidden", "a/b", "a\\b", "a\nb", "a\u202eb", "x" * 101])
def test_labels_that_cannot_name_a_folder_are_refused(label):
    with pytest.raises(LabelError):
        clean_label(label, LIMITS)
