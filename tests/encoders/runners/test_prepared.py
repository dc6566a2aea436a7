from __future__ import annotations

import numpy as np
import pytest

from bideta import load_encoder
from bideta.encoders.runners.prepared import PreparingEncoder, bytes_of, encode_prepared, prepare
from bideta.encoders.runners.preprocessing import Preprocessing
from bideta.encoders.runners.side_by_side import SideBySide
from support.releases import CountingEncoder

RNG = np.random.default_rng(0)
FRAMES = [
    RNG.integers(0, 256, (*size, 3), dtype=np.uint8) for size in ((96, 96), (120, 160), (64, 64), (30, 41))
]
BEFORE = [RNG.integers(0, 256, frame.shape, dtype=np.uint8) for frame in FRAMES]


@pytest.mark.parametrize("name", ["handmade", "twin-tvl", "twin-sparsh", "handmade+twin-sparsh"])
@pytest.mark.parametrize("before", [None, BEFORE], ids=["alone", "with the frames before"])
def test_both_halves_are_the_encoder_to_the_bit(name, before):
    encoder = load_encoder(name)
    assert isinstance(encoder, PreparingEncoder)
    halves = [
        prepare(encoder, frame, None if before is None else before[i]) for i, frame in enumerate(FRAMES)
    ]
    for ours, whole in zip(encode_prepared(encoder, halves), encoder.encode(FRAMES, before), strict=True):
        assert ours.dtype == whole.dtype
        np.testing.assert_array_equal(ours, whole)


def test_an_encoder_that_knows_no_halves_is_given_the_frames():
    for encoder in (CountingEncoder(), SideBySide([CountingEncoder(), load_encoder("handmade")])):
        for before in (None, BEFORE):
            halves = [
                prepare(encoder, frame, None if before is None else before[i])
                for i, frame in enumerate(FRAMES)
            ]
            for ours, whole in zip(
                encode_prepared(encoder, halves), encoder.encode(FRAMES, before), strict=True
            ):
                np.testing.assert_array_equal(ours, whole)


@pytest.mark.parametrize(
    "preprocessing",
    [
        Preprocessing(24, 32, resize="pil-bilinear", mean=(0.5, 0.4, 0.3), std=(0.1, 0.2, 0.3)),
        Preprocessing(24, 24, pad_and_rotate=True),
        Preprocessing(24, 24, 6, background=BEFORE[1]),
    ],
)
def test_a_prepared_frame_is_not_prepared_twice(preprocessing):
    frames = [FRAMES[1], BEFORE[1]]
    together = preprocessing.stack([preprocessing.prepare(frame) for frame in frames])
    np.testing.assert_array_equal(together, preprocessing(np.stack(frames)))
    assert together.shape == (2, preprocessing.channels, preprocessing.height, preprocessing.width)


def test_what_is_held_of_a_large_picture_is_small():
    picture = np.zeros((2000, 1500, 3), np.uint8)
    assert bytes_of(prepare(load_encoder("handmade"), picture)) == 96 * 96 * 3
    assert bytes_of(prepare(CountingEncoder(), picture)) == picture.nbytes
