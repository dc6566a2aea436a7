from __future__ import annotations

import io

import numpy as np
from PIL import Image

from bideta.images.png import png, write_png
from bideta.images.reading import read_image


def test_pixels_come_back_as_they_were(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 255, (5, 7, 3), dtype=np.uint8)
    write_png(tmp_path / "a.png", pixels)
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), pixels)
    assert png(Image.fromarray(pixels)) == png(pixels) == (tmp_path / "a.png").read_bytes()
    assert Image.open(io.BytesIO(png(pixels))).format == "PNG"
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
