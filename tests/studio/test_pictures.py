from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib

import pytest
from PIL import Image

from bideta.studio.compute import BusyError
from bideta.studio.limits import Limits
from bideta.studio.pictures import DECODING, Upload, decode
from bideta.studio.refused import RefusedError
from support.studio_server import picture

ignore = [].append
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
    pictures, rejected = decode([Upload("bomb.png", bomb())], LIMITS, ignore)
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
    pictures, rejected = decode(
        [Upload("bad", content), Upload("good.png", picture("bolt", 0))], LIMITS, ignore
    )
    assert [picture.upload.name for picture in pictures] == ["good.png"]
    assert rejected[0]["error"].startswith("cannot read bad: ")


def test_large_files_are_refused_before_they_are_decoded():
    _, rejected = decode([Upload("large.png", picture("bolt", 0) + b"\0" * 100_000)], LIMITS, ignore)
    assert "100,000" in rejected[0]["error"]


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [("PNG", ".png"), ("JPEG", ".jpg"), ("BMP", ".bmp"), ("TIFF", ".tif"), ("WEBP", ".webp")],
)
def test_the_ending_comes_from_the_bytes_and_the_small_picture_is_png(kind, suffix):
    pictures, _ = decode([Upload("frame.exe", picture("key", 1, kind, size=(400, 200)))], Limits(), ignore)
    assert pictures[0].suffix == suffix
    small = Image.open(io.BytesIO(pictures[0].thumb))
    assert small.format == "PNG"
    assert small.size == (128, 64)


def white(width, height):
    out = io.BytesIO()
    Image.new("L", (width, height), 255).save(out, "PNG")
    return out.getvalue()


def test_too_many_pixels_together_are_refused_before_the_first_is_decoded():
    limits = Limits(request_pixels=1_000_000)
    uploads = [Upload(f"{i}.png", white(500, 500)) for i in range(5)]
    with pytest.raises(RefusedError, match=r"1,250,000 pixels together, at most 1,000,000.*fewer") as refused:
        decode(uploads, limits, pytest.fail)
    assert refused.value.status == 413
    taken = []
    assert len(decode(uploads[:4], limits, taken.append)[0]) == len(taken) == 4


def test_a_request_of_many_large_pictures_holds_few_of_them_at_a_time(tmp_path):
    """A process of its own, for memory that was used once stays with a process."""
    (tmp_path / "white.png").write_bytes(white(2000, 1500))
    program = """
import resource, sys
from pathlib import Path
from bideta.plugins import load_encoder
from bideta.studio.limits import Limits
from bideta.studio.pictures import Upload
from bideta.studio.sessions import Sessions
home = Path(sys.argv[1])
content = (home / "white.png").read_bytes()
sessions = Sessions(home / "home", load_encoder("twin-tvl", threads=1), "twin-tvl", Limits())
session = sessions.create()
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
def add(count, key):
    uploads = [Upload("a.png", content + f"{key} {i}".encode()) for i in range(count)]
    return len(session.add(uploads, sessions.encoder, key).contacts)
add(2, "warm up")
before = used()
assert add(20, "many") == 20
print(1024 * (used() - before))
"""
    ended = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, check=True)
    assert int(ended.stdout) < 130 * 2**20  # all of them are 180 MB


def test_the_server_is_busy_where_no_share_of_the_pixels_becomes_free():
    limits = Limits(decoding_pixels=1, decoding_seconds=0.01)
    with DECODING.share(1, most=1), pytest.raises(BusyError, match="busy"):
        decode([Upload("a.png", picture("bolt", 0))] * 2, limits, ignore)
    assert len(decode([Upload("a.png", picture("bolt", 0))] * 2, limits, ignore)[0]) == 2


def test_uploads_are_handed_on_in_their_order_and_prepared():
    uploads = [Upload(f"{i}.png", picture("bolt", i)) for i in range(12)]
    uploads[5] = Upload("5.png", b"broken")
    raw, prepared = [], []
    pictures, rejected = decode(uploads, LIMITS, raw.append)
    decode(uploads, LIMITS, prepared.append, lambda pixels: pixels.sum())
    assert [made.upload.name for made in pictures] == [f"{i}.png" for i in range(12) if i != 5]
    assert [one["name"] for one in rejected] == ["5.png"]
    assert prepared == [pixels.sum() for pixels in raw]
    assert len(set(prepared)) > 1
