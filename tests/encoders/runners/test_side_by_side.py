"""Encoders side by side: the readouts are the parts', the pictures are read once, settings find their part."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bideta.encoders.checkpoints.embedded import WEIGHTS
from bideta.encoders.runners.side_by_side import shared_out
from bideta.plugins import find, load_encoder, split

FILE = WEIGHTS / "twin-tvl.onnx"


class Counted:
    """Pictures that count how often they are read."""

    def __init__(self, pictures: NDArray[np.uint8]) -> None:
        self.pictures, self.reads = pictures, 0

    def __len__(self) -> int:
        return len(self.pictures)

    def __getitem__(self, rows: Any) -> Any:
        self.reads += 1
        return self.pictures[rows]


def test_readouts_are_those_of_the_parts(frames: NDArray[np.uint8]) -> None:
    whole = load_encoder("handmade+twin-tvl", threads=1)
    parts = [load_encoder("handmade"), load_encoder("twin-tvl", threads=1)]
    assert whole.info.name == "handmade+twin-tvl"
    assert whole.info.readouts == (432, 334, 256, 256, 128, 256)
    assert whole.info.parameters == parts[1].info.parameters
    expected = [readout for part in parts for readout in part.encode(frames)]
    for ours, theirs in zip(whole.encode(frames), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert [H.shape for H in whole.encode(frames[:0])] == [(0, width) for width in whole.info.readouts]
    # Pictures of differing sizes are a list.
    mixed = whole.encode([frames[0], frames[1, :50, :60]])
    np.testing.assert_array_equal(mixed[1][0], whole.encode(frames[:1])[1][0])


def test_pictures_are_read_once(frames: NDArray[np.uint8]) -> None:
    pictures = Counted(frames)
    load_encoder("handmade+twin-tvl+twin-sparsh", threads=1).encode(pictures, pictures, batch_size=1)
    assert pictures.reads == 2 * len(frames)  # once as frames, once as the frames before


def test_two_frames_and_one(frames: NDArray[np.uint8]) -> None:
    whole, pair = load_encoder("handmade+twin-sparsh", threads=1), load_encoder("twin-sparsh", threads=1)
    assert whole.info.channels == 6
    previous = frames[::-1]
    answer = whole.encode(frames, previous)
    np.testing.assert_array_equal(answer[-1], pair.encode(frames, previous)[-1])
    np.testing.assert_array_equal(answer[0], load_encoder("handmade").encode(frames)[0])


def test_the_fingerprint_knows_parts_and_order() -> None:
    names = ("handmade", "twin-tvl", "handmade+twin-tvl", "twin-tvl+handmade", "handmade+handmade")
    assert len({load_encoder(name).fingerprint for name in names}) == len(names)
    assert load_encoder(names[2]).fingerprint == load_encoder(names[2], threads=1).fingerprint
    trained, control = (load_encoder(names[2], random_weights=flag).fingerprint for flag in (False, True))
    assert trained != control


def test_names_are_split_where_an_encoder_begins() -> None:
    assert split("encoder", "handmade") == ["handmade"]
    assert split("encoder", "timm:a+timm:b.c+handmade") == ["timm:a", "timm:b.c", "handmade"]
    assert split("encoder", "onnx:c++/a+b.onnx") == ["onnx:c++/a+b.onnx"]
    assert split("encoder", "handmade+nonsense") == ["handmade", "nonsense"]
    assert split("dataset", "a+b") == ["a+b"]
    for name in ("handmade+twin-tlv", "twin-tlv+handmade"):
        with pytest.raises(ValueError, match=r"unknown encoder 'twin-tlv'. Did you mean 'twin-tvl'\?"):
            load_encoder(name)
    with pytest.raises(ValueError, match="unknown encoder ''"):
        load_encoder("handmade+")


def test_a_file_stands_beside_others(frames: NDArray[np.uint8]) -> None:
    whole = load_encoder(f"onnx:{FILE}+handmade", threads=1, mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5))
    assert whole.info.name == "onnx:twin-tvl.onnx+handmade"
    assert whole.info.readouts == (128, 256, 432, 334, 256, 256)
    assert [H.shape[1] for H in whole.encode(frames)] == list(whole.info.readouts)


def test_settings_go_to_the_parts_that_have_them() -> None:
    names = ["handmade", "twin-tvl", "timm:vit.a"]
    keyword = inspect.Parameter("any", inspect.Parameter.KEYWORD_ONLY)
    known = [dict.fromkeys(taken, keyword) for taken in ((), ("threads", "seed"), ("threads", "size"))]
    settings = {"timm.threads": 2, "threads": 1, "seed": 3, "timm:vit.a.size": 98}
    shares = shared_out(settings, names, known)
    assert shares == [{}, {"threads": 1, "seed": 3}, {"threads": 2, "size": 98}]


def test_a_setting_that_no_part_has_is_refused() -> None:
    for setting in ("nonsense", "handmade.threads", "tvl.seed"):
        with pytest.raises(
            ValueError, match=rf"no setting '{setting}'\. Known: handmade: none; twin-tvl: weights"
        ):
            load_encoder("handmade+twin-tvl", **{setting: 1})


def test_it_is_a_plugin_like_any_other() -> None:
    module = find("encoder", "handmade+twin-tvl")
    assert "threads" in inspect.signature(module.load).parameters
    assert module.INFO.readouts == (432, 334, 256, 256, 128, 256)
    assert module.INFO.weights_at() == ("part of the package", True)
    assert pickle.loads(pickle.dumps(module.INFO)).name == "handmade+twin-tvl"  # noqa: S301
