"""Frames → network input, and what is refused at the door."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from bideta.encoders import tvl, twin_sparsh, twin_tvl
from bideta.encoders.runners.batches import batches
from bideta.encoders.runners.fingerprint import of_file
from bideta.encoders.runners.preprocessing import (
    Preprocessing,
    padded_and_rotated,
    subtracted,
    torch_bilinear,
)
from support.timm_import import imported_timm


def noise(*shape: int) -> Any:
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


def test_values_are_scaled_then_normalised() -> None:
    frames = noise(2, 4, 4, 3)
    plain = Preprocessing(4, 4)(frames)
    np.testing.assert_allclose(plain, frames.transpose(0, 3, 1, 2) / 255, rtol=1e-6)
    mean, std = (0.1, 0.2, 0.3), (0.5, 0.6, 0.7)
    shifted = Preprocessing(4, 4, mean=mean, std=std)(frames)
    expected = (frames / 255 - np.array(mean)) / np.array(std)
    np.testing.assert_allclose(shifted, expected.transpose(0, 3, 1, 2), atol=1e-6)


def test_resizing_is_pils_bicubic() -> None:
    frame = noise(48, 80, 3)
    expected = np.asarray(Image.fromarray(frame).resize((64, 64), Image.Resampling.BICUBIC))
    prepared = Preprocessing(64, 64)(frame[None])[0]
    np.testing.assert_array_equal((prepared * 255).round(), expected.transpose(2, 0, 1))


def test_the_current_frame_comes_first() -> None:
    now, before = noise(1, 8, 8, 3), np.zeros((1, 8, 8, 3), np.uint8)
    stacked = Preprocessing(8, 8, channels=6)(now, before)
    assert stacked.shape == (1, 6, 8, 8)
    assert stacked[:, :3].max() > 0.5
    assert not stacked[:, 3:].any()


def test_frames_of_different_sizes_are_encoded_together() -> None:
    encoder = twin_tvl.load(threads=1)
    frames = [noise(64, 64, 3), noise(240, 320, 3)]
    together = encoder.encode(frames)
    for number, frame in enumerate(frames):
        for a, b in zip(together, encoder.encode(frame[None]), strict=True):
            np.testing.assert_allclose(a[number], b[0], atol=1e-5)


def test_lazy_images_are_read_one_batch_at_a_time() -> None:
    class Lazy:
        reads: tuple[slice, ...] = ()

        def __len__(self) -> int:
            return 5

        def __getitem__(self, rows: slice) -> Any:
            self.reads += (rows,)
            return noise(5, 64, 64, 3)[rows]

    lazy = Lazy()
    shapes = [batch.shape for batch in batches(Preprocessing(64, 64), lazy, None, 2)]
    assert shapes == [(2, 3, 64, 64), (2, 3, 64, 64), (1, 3, 64, 64)]
    assert [(rows.start, rows.stop) for rows in lazy.reads] == [(0, 2), (2, 4), (4, 6)]


def test_no_frames_give_empty_readouts() -> None:
    first, second = twin_tvl.load(threads=1).encode(np.zeros((0, 64, 64, 3), np.uint8))
    assert first.shape == (0, 128)
    assert second.shape == (0, 256)


@pytest.mark.parametrize(
    ("images", "received"),
    [
        (np.zeros((64, 64, 3), np.uint8), r"shape \(64, 3\) and dtype uint8"),
        (np.zeros((2, 64, 64, 1), np.uint8), r"shape \(64, 64, 1\)"),
        (np.zeros((2, 64, 64, 3), np.float32), "dtype float32"),
        (np.zeros((2, 3, 64, 64), np.uint8), r"shape \(3, 64, 64\)"),
    ],
)
def test_a_wrong_frame_is_named(images: Any, received: str) -> None:
    with pytest.raises(ValueError, match=received + r".*expected \(H, W, 3\) uint8"):
        twin_tvl.load(threads=1).encode(images)


def test_a_wrong_earlier_frame_is_named() -> None:
    encoder = twin_sparsh.load(threads=1)
    with pytest.raises(ValueError, match="disagree on the number of frames: 3 and 2"):
        encoder.encode(noise(3, 64, 64, 3), previous=noise(2, 64, 64, 3))
    with pytest.raises(ValueError, match=r"previous: a frame has shape \(64, 64, 4\)"):
        encoder.encode(noise(3, 64, 64, 3), previous=noise(3, 64, 64, 4))


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="threads is 0"):
        twin_tvl.load(threads=0)
    with pytest.raises(ValueError, match="batch_size is 0"):
        twin_tvl.load(threads=1).encode(noise(1, 64, 64, 3), batch_size=0)


def test_a_model_for_another_input_is_refused() -> None:
    from bideta.encoders.checkpoints.embedded import WEIGHTS

    with pytest.raises(ValueError, match=r"takes frames \[6, 64, 64\], expected \[3, 64, 64\]"):
        twin_tvl.load(WEIGHTS / "twin-sparsh.onnx", threads=1)


def test_the_fingerprint_covers_the_preprocessing() -> None:
    from bideta.encoders.checkpoints.embedded import WEIGHTS

    content = (WEIGHTS / "twin-tvl.onnx").read_bytes()
    one, two = (of_file(content, Preprocessing(64, 64, mean=(m,) * 3, std=(1,) * 3)) for m in (0.0, 0.5))
    assert one != two


def test_padding_fills_a_square_with_black_and_turns_it_left() -> None:
    image = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3) + 1
    square = np.zeros((6, 6, 3), np.uint8)
    square[1:5] = image
    np.testing.assert_array_equal(padded_and_rotated(image), np.rot90(square))


def test_torch_resize_is_torchvisions(frames: NDArray[np.uint8]) -> None:
    torch = pytest.importorskip("torch", reason="the resize is torch's (extra torch)")
    ours = torch_bilinear(frames[0], 56, 56)
    pillow = np.asarray(Image.fromarray(frames[0]).resize((56, 56), Image.Resampling.BILINEAR)) / 255
    np.testing.assert_allclose(ours, pillow, atol=1.01 / 255)  # PIL rounds each of its two passes
    imported_timm()  # brings torchvision where it is installed
    functional = pytest.importorskip("torchvision.transforms.functional")
    tensor = torch.from_numpy(frames[0]).permute(2, 0, 1).float() / 255
    theirs = functional.resize(tensor, [56, 56], antialias=True).permute(1, 2, 0)
    np.testing.assert_array_equal(ours, theirs)


def test_paper_preprocessing_is_scale_then_channel_statistics(frames: NDArray[np.uint8]) -> None:
    prepared = Preprocessing(224, 224, 3, tvl.MEAN, tvl.STD)(frames)
    picture = np.asarray(Image.fromarray(frames[1]).resize((224, 224), Image.Resampling.BICUBIC)) / 255
    assert prepared.dtype == np.float32
    np.testing.assert_allclose(prepared[1].transpose(1, 2, 0), (picture - tvl.MEAN) / tvl.STD, atol=1e-6)


def test_background_subtraction_is_sparshs_own(frames: NDArray[np.uint8]) -> None:
    frame, background = frames
    literal = np.zeros_like(frame)
    for index in np.ndindex(frame.shape):
        value = (int(frame[index]) - int(background[index])) / 255.0 + 0.5
        literal[index] = int(min(max(value, 0.0), 1.0) * 255.0)
    np.testing.assert_array_equal(subtracted(frame, background), literal)
    with pytest.raises(ValueError, match="a frame is 120×90 and the background 60×90"):
        subtracted(frame, background[:, :60])
