from __future__ import annotations

import io
import threading

import pytest
from PIL import Image

from bideta.images import reading
from bideta.images.pixel_budget import PixelBudget


def test_images_wait_for_their_share_of_the_pixels():
    budget = PixelBudget()
    with budget.share(60, most=100, seconds=5):
        with budget.share(40, most=100, seconds=5):
            pass
        with pytest.raises(TimeoutError, match="41 pixels"), budget.share(41, most=100, seconds=0.01):
            pass
    with budget.share(1000, most=100, seconds=0.01):  # alone: it would never have its turn otherwise
        pass
    assert budget._taken == 0


def test_a_large_picture_is_decoded_when_the_others_are_done():
    content = io.BytesIO()
    Image.new("RGB", (8, 8), (7, 7, 7)).save(content, "PNG")
    content.seek(0)
    decoded = []
    thread = threading.Thread(target=lambda: decoded.append(reading.decode_image(content, "a.png")))
    with reading.DECODING.share(reading.MAX_PIXELS - 63, most=reading.MAX_PIXELS):
        thread.start()
        thread.join(0.1)
        assert not decoded
    thread.join(10)
    assert decoded[0].shape == (8, 8, 3)
