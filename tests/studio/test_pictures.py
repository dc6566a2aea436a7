from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image

from bideta.studio.limits import Limits
from bideta.studio.pictures import Upload, decode
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
    pictures, rejected = decode([Upload("bomb.png", bomb())], LIMITS)
    assert not pictures
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
    pictures, rejected = decode([Upload("bad", content), Upload("good.png", picture("bolt", 0))], LIMITS)
    assert [picture.upload.name for picture in pictures] == ["good.png"]
    assert rejected[0]["error"].startswith("cannot read bad: ")


def test_large_files_are_refused_before_they_are_decoded():
    _, rejected = decode([Upload("large.png", picture("bolt", 0) + b"\0" * 100_000)], LIMITS)
    assert "100,000" in rejected[0]["error"]


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [("PNG", ".png"), ("JPEG", ".jpg"), ("BMP", ".bmp"), ("TIFF", ".tif"), ("WEBP", ".webp")],
)
def test_the_ending_comes_from_the_bytes_and_the_small_picture_is_png(kind, suffix):
    pictures, _ = decode([Upload("frame.exe", picture("key", 1, kind, size=(400, 200)))], Limits())
    assert pictures[0].suffix == suffix
    small = Image.open(io.BytesIO(pictures[0].thumb))
    assert small.format == "PNG"
    assert small.size == (128, 64)
