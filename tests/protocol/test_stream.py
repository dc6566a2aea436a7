from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from bideta.datasets._images import ImageError
from bideta.protocol.stream import encode_files
from support.releases import CountingEncoder


def test_broken_files_are_named_and_the_others_encoded_in_order(tmp_path):
    paths = [tmp_path / f"{i}.png" for i in range(10)]
    for i, path in enumerate(paths):
        Image.new("RGB", (4 + i, 4), (i, 0, 0)).save(path)
    paths[3].write_bytes(b"broken")
    paths[9].unlink()
    steps = []
    encoded = encode_files(CountingEncoder(), paths, 4, lambda done, total: steps.append((done, total)))
    assert encoded.rows.tolist() == [0, 1, 2, 4, 5, 6, 7, 8]
    np.testing.assert_array_equal(encoded.readouts[0][:, 0], encoded.rows)
    assert list(encoded.broken) == [3, 9]
    assert "3.png" in encoded.broken[3]
    assert steps == [(4, 10), (8, 10), (10, 10)]
    assert encoded.colour == (encoded.rows.mean(), 0, 0)


def test_nothing_readable_is_an_error(tmp_path):
    with pytest.raises(
        ImageError, match=r"none of the 1 images can be read; the first: cannot read .*x\.png"
    ):
        encode_files(CountingEncoder(), [tmp_path / "x.png"])


def test_only_one_batch_of_pictures_is_held_at_a_time(tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")

    class Watching(CountingEncoder):
        most = 0

        def encode(self, images, previous=None, batch_size=64):
            self.most = max(self.most, len(images))
            return super().encode(images, previous, batch_size)

    encoder = Watching()
    encode_files(encoder, [tmp_path / "a.png"] * 100, 16)
    assert (encoder.most, encoder.seen) == (16, 100)
