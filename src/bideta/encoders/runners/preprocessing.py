"""From camera frames to a network's input, as in the paper's appendix; the original repositories' ways are options.

The paper resizes SITR and TacVerse with PIL's bicubic filter and TacQuad with torchvision's bilinear one with
antialiasing, straight to 224×224 (the aspect ratio is not kept), and scales to [0, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Floats = NDArray[np.float32]
Pixels = NDArray[np.uint8]
Resize = Literal["pil-bicubic", "pil-bilinear", "torch-bilinear"]
PIL_FILTERS = {"pil-bicubic": Image.Resampling.BICUBIC, "pil-bilinear": Image.Resampling.BILINEAR}
LARGEST = 1e6  # of a mean or a standard deviation of channels in [0, 1]
LONGEST_SIDE = 16  # times the shorter one, where that is kept: a frame of one row would become gigabytes
BACKGROUND_OFFSET = 0.5  # grey of "no contact" after background subtraction, in Sparsh's code


@dataclass(frozen=True)
class Preprocessing:
    """Resize, scale to [0, 1], then (x − mean) / std where both are given.

    Called with B frames (and the B frames before them) it gives ``(B, channels, height, width)`` float32.
    """

    height: int
    width: int
    channels: int = 3  # 6: the frame, then the previous frame (the frame itself where there is none)
    mean: tuple[float, float, float] | None = None
    std: tuple[float, float, float] | None = None
    resize: Resize = "pil-bicubic"
    pad_and_rotate: bool = False  # as TVL's code: zero padding to a square, then a quarter turn to the left
    shorter: int | None = None  # as T3: the shorter side becomes this long, then the middle is cut out
    background: Pixels | None = field(default=None, repr=False, compare=False)  # Sparsh's pretraining

    def __post_init__(self) -> None:
        if self.resize not in get_args(Resize):
            raise ValueError(f"resize is {self.resize!r}, expected one of {', '.join(get_args(Resize))}")
        if self.background is not None:
            checked(self.background, "background")

    def __call__(self, frames: Any, previous: Any = None) -> Floats:
        """The network's input; ``previous`` is looked at where there are six channels."""
        return self.stack(self.prepare_all(frames, previous))

    def prepare_all(self, frames: Any, previous: Any = None) -> list[tuple[Pixels | Floats, ...]]:
        """``prepare`` of every frame."""
        befores = repeat(None, len(frames)) if previous is None else previous
        return [self.prepare(frame, before) for frame, before in zip(frames, befores, strict=True)]

    def prepare(self, frame: Any, previous: Any = None) -> tuple[Pixels | Floats, ...]:
        """The frame at the input's size, and where two are stacked the one before it."""
        current = self._resized(checked(frame, "images"))
        if self.channels == 3 or previous is None:
            return (current,)
        return current, self._resized(checked(previous, "previous"))

    def stack(self, prepared: Sequence[tuple[Pixels | Floats, ...]]) -> Floats:
        """The network's input, of what ``prepare`` made of B frames."""
        inputs = [self._scaled(frames) for frames in zip(*prepared, strict=True)]
        if self.channels == 3:
            return inputs[0]
        return np.concatenate([inputs[0], inputs[-1]], axis=1)

    def _scaled(self, frames: Sequence[Pixels | Floats]) -> Floats:
        resized = np.stack(frames)
        scaled: Floats = resized.astype(np.float32, copy=False)  # (B, height, width, 3)
        if resized.dtype == np.uint8:
            scaled /= np.float32(255)
        if self.mean is not None and self.std is not None:
            scaled -= np.array(self.mean, np.float32)
            scaled /= np.array(self.std, np.float32)
        return np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))

    def _resized(self, pixels: Pixels) -> Pixels | Floats:
        """The frame at the input's size: uint8 from PIL, float32 in [0, 1] from torch."""
        if self.background is not None:
            pixels = subtracted(pixels, self.background)
        if self.pad_and_rotate:
            pixels = padded_and_rotated(pixels)
        if self.shorter is None:
            return self._scaled_to(pixels, self.height, self.width)
        height, width = sides(pixels, self.shorter)
        top, left = round((height - self.height) / 2), round((width - self.width) / 2)
        whole = self._scaled_to(pixels, height, width)
        return whole[top : top + self.height, left : left + self.width]

    def _scaled_to(self, pixels: Pixels, height: int, width: int) -> Pixels | Floats:
        if self.resize == "torch-bilinear":
            return torch_bilinear(pixels, height, width)
        if pixels.shape[:2] == (height, width):
            return pixels
        return np.asarray(Image.fromarray(pixels).resize((width, height), PIL_FILTERS[self.resize]))


def checked(frame: Any, argument: str) -> Pixels:
    """The frame as an array, if it is ``(H, W, 3)`` uint8."""
    pixels = np.asarray(frame)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or not pixels.size:
        raise ValueError(
            f"{argument}: a frame has shape {pixels.shape} and dtype {pixels.dtype}, expected (H, W, 3) uint8 "
            "RGB; pass a stack (N, H, W, 3), and convert floats in [0, 1] with (x * 255).round().astype('uint8')"
        )
    return pixels


def sides(pixels: Pixels, shorter: int) -> tuple[int, int]:
    """Height and width of the frame with that shorter side, cut to whole pixels as in torchvision."""
    height, width = pixels.shape[:2]
    short, long = sorted((height, width))
    if long > LONGEST_SIDE * short:
        raise ValueError(
            f"images: a frame is {width}×{height}, expected at most {LONGEST_SIDE} times as long as wide; cut it first"
        )
    other = int(shorter * long / short)
    return (shorter, other) if height <= width else (other, shorter)


def triple(values: Any, argument: str) -> tuple[float, float, float] | None:
    """Three numbers of channels, if they are; above zero where they are deviations (``std``)."""
    if values is None:
        return None
    numbers = np.asarray(values, object).ravel().tolist()
    if len(numbers) != 3 or not all(isinstance(n, int | float) and -LARGEST <= n <= LARGEST for n in numbers):
        raise ValueError(f"{argument} is {str(values)[:80]}, expected 3 numbers (red, green, blue)")
    if argument == "std" and not all(number > 0 for number in numbers):
        raise ValueError(f"std is {numbers}, expected numbers above zero")
    return float(numbers[0]), float(numbers[1]), float(numbers[2])


def subtracted(pixels: Pixels, background: Pixels) -> Pixels:
    """Frame minus background, around mid-grey, clipped and cut to whole numbers as in Sparsh's code."""
    if pixels.shape != background.shape:
        raise ValueError(
            f"a frame is {pixels.shape[1]}×{pixels.shape[0]} and the background {background.shape[1]}×"
            f"{background.shape[0]}; pass a frame without contact from the same camera"
        )
    difference = (pixels.astype(np.int32) - background.astype(np.int32)) / 255.0 + BACKGROUND_OFFSET
    return (np.clip(difference, 0.0, 1.0) * 255.0).astype(np.uint8)


def padded_and_rotated(pixels: Pixels) -> Pixels:
    """Zero margins up to a square (one pixel short where the difference is odd), then 90° anticlockwise."""
    height, width = pixels.shape[:2]
    side = max(height, width)
    rows, columns = (side - height) // 2, (side - width) // 2
    padded = np.pad(pixels, ((rows, rows), (columns, columns), (0, 0)))
    return np.asarray(Image.fromarray(padded).rotate(90))


def torch_bilinear(pixels: Pixels, height: int, width: int) -> Floats:
    """The frame in [0, 1], resized by the call that torchvision makes for tensors (bilinear, antialias)."""
    scaled = pixels.astype(np.float32) / np.float32(255)
    if pixels.shape[:2] == (height, width):
        return scaled
    import torch

    batch = torch.from_numpy(scaled).permute(2, 0, 1)[None]
    resized = torch.nn.functional.interpolate(batch, (height, width), mode="bilinear", antialias=True)
    return resized[0].permute(1, 2, 0).numpy()
