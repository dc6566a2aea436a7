from __future__ import annotations

import io
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image, ImageOps

from bideta.images import reading
from bideta.images.reading import ImageError, count_pixels, read_image

stream_of = io.BytesIO


def picture(size=(12, 9), seed=0) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (*size[::-1], 3), np.uint8))


@pytest.mark.parametrize("suffix", ["png", "jpg", "bmp", "tiff", "webp"])
def test_every_allowed_format_is_read_as_rgb(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    picture().save(path)
    read = read_image(path)
    assert read.shape == (9, 12, 3)
    assert read.dtype == np.uint8
    if suffix in ("png", "bmp", "tiff"):
        np.testing.assert_array_equal(read, np.asarray(picture()))


def test_a_plain_picture_is_not_copied_strip_by_strip(tmp_path, monkeypatch):
    """Copies of copies took as long as decoding."""
    picture((64, 48)).save(tmp_path / "a.jpg")
    monkeypatch.setattr(Image.Image, "crop", lambda *_: pytest.fail("copied"))
    pixels = read_image(tmp_path / "a.jpg")
    assert np.array_equal(pixels, np.asarray(Image.open(tmp_path / "a.jpg")))
    assert pixels.flags.c_contiguous
    assert pixels.flags.writeable


def test_red_stays_the_first_channel(tmp_path):
    Image.new("RGB", (4, 4), (250, 20, 10)).save(tmp_path / "a.png")
    assert read_image(tmp_path / "a.png")[0, 0].tolist() == [250, 20, 10]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK"])
def test_other_pixel_formats_become_rgb(tmp_path, mode):
    path = tmp_path / ("a.tiff" if mode == "CMYK" else "a.png")
    picture().convert(mode).save(path)
    assert read_image(path).shape == (9, 12, 3)


def test_a_transparent_palette_is_read_without_a_warning(tmp_path):
    picture().convert("P").save(tmp_path / "a.png", transparency=bytes([0, 128, 255]))
    assert read_image(tmp_path / "a.png").shape == (9, 12, 3)


def test_the_exif_orientation_is_applied(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # rotate by 90°
    picture().save(tmp_path / "a.png", exif=exif)
    upright = read_image(tmp_path / "a.png")
    np.testing.assert_array_equal(upright, np.rot90(np.asarray(picture()), -1))


def test_a_format_that_is_not_allowed_is_refused_whatever_its_name(tmp_path):
    picture().save(tmp_path / "a.gif")
    os.rename(tmp_path / "a.gif", tmp_path / "a.png")
    with pytest.raises(ImageError, match=r"a\.png: not a PNG, JPEG"):
        read_image(tmp_path / "a.png")


def test_sixteen_bits_are_refused(tmp_path):
    Image.fromarray(np.zeros((4, 4), np.uint16)).save(tmp_path / "a.png")
    with pytest.raises(ImageError, match=r"a\.png.*8 bits"):
        read_image(tmp_path / "a.png")


def test_a_large_picture_is_refused_before_it_is_decoded(tmp_path, monkeypatch):
    picture().save(tmp_path / "a.png")
    monkeypatch.setattr(Image.Image, "load", lambda self: pytest.fail("decoded"))
    with pytest.raises(ImageError, match="12 × 9 pixels, at most 100"):
        read_image(tmp_path / "a.png", max_pixels=100)


def test_pillows_own_bomb_guard_becomes_the_same_error(tmp_path, monkeypatch):
    picture().save(tmp_path / "a.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)  # 108 pixels are more than twice this
    with pytest.raises(ImageError, match=r"a\.png"):
        read_image(tmp_path / "a.png")


def test_a_large_picture_is_shrunk_by_a_whole_number_as_it_is_read(tmp_path, monkeypatch):
    picture((31, 22)).save(tmp_path / "a.png")
    monkeypatch.setattr(reading, "KEPT_PIXELS", 100)  # 682 pixels: three times smaller
    monkeypatch.setattr(reading, "STRIP_PIXELS", 100)
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), np.asarray(picture((31, 22)).reduce(3)))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("suffix", ["png", "tiff", "webp"])
def test_every_orientation_is_turned_as_pillow_turns_it(tmp_path, orientation, suffix):
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture().save(tmp_path / f"a.{suffix}", exif=exif, **({"lossless": True} if suffix == "webp" else {}))
    with Image.open(tmp_path / f"a.{suffix}") as image:
        expected = np.asarray(ImageOps.exif_transpose(image))
    np.testing.assert_array_equal(read_image(tmp_path / f"a.{suffix}"), expected)


def test_the_pixels_are_counted_without_decoding(monkeypatch):
    stream = io.BytesIO()
    picture().save(stream, "BMP")
    monkeypatch.setattr(Image.Image, "load", lambda self: pytest.fail("decoded"))
    assert count_pixels(stream_of(stream.getvalue())) == 108
    assert count_pixels(stream_of(stream.getvalue()), max_pixels=100) == 0
    assert count_pixels(stream_of(b"no image")) == 0


def test_the_largest_picture_of_the_greediest_formats_stays_within_half_a_gigabyte(tmp_path):
    """Each in a process of its own, for memory that was used once stays with a process."""
    grey = Image.new("RGB", (5000, 5000), (90, 120, 60))
    kinds = {
        "a.jpg": {"progressive": True, "subsampling": 0},
        "b.webp": {"method": 0, "quality": 1},
    }
    for name, options in kinds.items():
        grey.save(tmp_path / name, **options)
        assert peak(tmp_path / name) < 500 * 2**20, name


def peak(path) -> int:
    """Bytes by which reading a picture raises the memory of a process."""
    program = (
        "import resource, sys; from bideta.images.reading import read_image; "
        "used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; "
        "before = used(); read_image(sys.argv[1]); print(1024 * (used() - before))"
    )
    return int(subprocess.run([sys.executable, "-c", program, path], capture_output=True, check=True).stdout)


@pytest.mark.parametrize("error", [TypeError, AssertionError, KeyError, AttributeError, RuntimeError])
def test_whatever_a_decoder_raises_is_one_error_that_names_the_file(tmp_path, monkeypatch, error):
    def fail(self):
        raise error("Missing dimensions")

    picture().save(tmp_path / "a.png")
    monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load", fail)
    with pytest.raises(ImageError, match=r"a\.png: .*Missing dimensions"):
        read_image(tmp_path / "a.png")


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"not an image", b"\xff\xd8\xff"])
def test_a_file_that_is_no_image_is_named(tmp_path, content):
    (tmp_path / "bad.png").write_bytes(content)
    with pytest.raises(ImageError, match=r"cannot read .*bad\.png"):
        read_image(tmp_path / "bad.png")


@pytest.mark.parametrize("kind", ["absent", "folder", "pipe"])
def test_what_is_no_file_is_refused_without_waiting(tmp_path, kind):
    path = tmp_path / "x.png"
    if kind == "folder":
        path.mkdir()
    if kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(ImageError, match="no such file"):
        read_image(path)


@pytest.mark.filterwarnings("ignore")  # Pillow warns about broken metadata and reads on
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP", "TIFF", "WEBP"])
def test_mutated_files_are_read_or_refused_with_our_error_only(tmp_path, kind):
    stream = io.BytesIO()
    picture((24, 20)).save(stream, format=kind)
    good = stream.getvalue()
    rng = np.random.default_rng(len(kind))
    path = tmp_path / "x.png"
    for _ in range(150):
        bad = bytearray(good)
        for position in rng.integers(0, len(bad), rng.integers(1, 12)):
            bad[position] = rng.integers(0, 256)
        if rng.random() < 0.3:
            bad = bad[: rng.integers(0, len(bad))]
        path.write_bytes(bytes(bad))
        outcome = read_or_reason(path)
        assert outcome == "read" or "x.png" in outcome


def read_or_reason(path) -> str:
    try:
        assert read_image(path, max_pixels=100_000).ndim == 3
    except ImageError as error:
        return str(error)
    return "read"
