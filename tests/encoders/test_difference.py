from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from bideta import load_encoder
from bideta.images.differences import difference
from bideta.plugins import find
from bideta.service.plugins import load_plugin

RNG = np.random.default_rng(0)
FRAMES = RNG.integers(0, 256, (3, 24, 32, 3), dtype=np.uint8)
BACKGROUND = RNG.integers(0, 256, (24, 32, 3), dtype=np.uint8)


def same(found, want):
    for one, other in zip(found, want, strict=True):
        np.testing.assert_array_equal(one, other)


def test_readouts_are_those_of_the_encoder_on_differences():
    encoder = load_encoder("difference:handmade", background=BACKGROUND)
    plain = load_encoder("handmade")
    same(encoder.encode(FRAMES), plain.encode([difference(frame, BACKGROUND) for frame in FRAMES]))
    assert encoder.info.readouts == plain.info.readouts
    assert encoder.info.name == "difference:handmade"


def test_an_encoder_of_two_frames_sees_two_differences():
    before = FRAMES[::-1]
    encoder = load_encoder("difference:twin-sparsh", background=BACKGROUND, threads=1)
    want = load_encoder("twin-sparsh", threads=1).encode(
        [difference(frame, BACKGROUND) for frame in FRAMES],
        [difference(frame, BACKGROUND) for frame in before],
    )
    same(encoder.encode(FRAMES, before), want)


def test_it_stands_beside_others():
    both = load_encoder("handmade+difference:handmade+difference:twin-tvl", background=BACKGROUND, threads=1)
    parts = [load_encoder("handmade")] + [
        load_encoder(f"difference:{name}", background=BACKGROUND) for name in ("handmade", "twin-tvl")
    ]
    same(both.encode(FRAMES), [readout for part in parts for readout in part.encode(FRAMES)])
    assert both.info.needs_background
    assert find("encoder", "handmade+difference:handmade").INFO.needs_background
    assert find("encoder", "difference:handmade").INFO.readouts == find("encoder", "handmade").INFO.readouts
    assert not find("encoder", "handmade+twin-tvl").INFO.needs_background


def test_the_fingerprint_knows_the_background_and_the_encoder():
    encoders = [
        load_encoder("handmade"),
        load_encoder("difference:handmade", background=BACKGROUND),
        load_encoder("difference:handmade", background=BACKGROUND.transpose(1, 0, 2)),
        load_encoder("difference:handmade", background=255 - BACKGROUND),
        load_encoder("difference:twin-tvl", background=BACKGROUND),
    ]
    assert len({encoder.fingerprint for encoder in encoders}) == len(encoders)
    again = load_encoder("difference:handmade", background=BACKGROUND.copy())
    assert again.fingerprint == encoders[1].fingerprint


def test_a_background_comes_from_a_picture_or_a_folder(tmp_path):
    for i, frame in enumerate(FRAMES):
        Image.fromarray(frame).save(tmp_path / f"{i}.png")
    encoder = load_encoder("difference:handmade", background=tmp_path / "1.png")
    np.testing.assert_array_equal(encoder.background, FRAMES[1])
    encoder = load_encoder("difference:handmade", background=str(tmp_path))
    np.testing.assert_array_equal(encoder.background, np.median(FRAMES, axis=0))


def test_settings_are_those_of_the_encoder_behind_the_colon():
    with pytest.raises(
        ValueError, match=r"'difference:handmade' has no setting 'threads'\. Known: name, background$"
    ):
        load_plugin("encoder", "difference:handmade", {"background": BACKGROUND, "threads": 1})
    # Beside another part, a setting goes to those that have it.
    load_plugin("encoder", "difference:handmade+twin-tvl", {"background": BACKGROUND, "threads": 1})


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("difference", {"background": BACKGROUND}, "which encoder"),
        ("difference:handmade", {}, r"difference:handmade needs a background.*--background"),
        ("handmade+difference:handmade", {}, "needs a background"),
        ("difference:difference:handmade", {"background": BACKGROUND}, "name an encoder once"),
        (
            "difference:handmad",
            {"background": BACKGROUND},
            "unknown encoder 'handmad'. Did you mean 'handmade'",
        ),
        ("difference:handmade", {"background": BACKGROUND / 255}, "background has shape .* float64"),
        ("difference:handmade", {"background": "nowhere.png"}, "no background nowhere.png"),
    ],
    ids=str,
)
def test_what_is_missing_is_said(name, given, message):
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        load_encoder(name, **given)
