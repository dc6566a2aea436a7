"""``difference:<encoder>``: the readouts of another encoder on the difference to the sensor's background.

``128 + 3·(picture − background)``; the background is a picture of the sensor without a contact, given when the encoder
is loaded. Any encoder can stand behind the colon; a plus sign begins the next one, so that
``handmade+difference:handmade`` has the readouts of the pictures and of the differences.
"""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import replace
from inspect import Parameter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import plugins
from bideta.encoders import Encoder, EncoderInfo, Readouts
from bideta.encoders.runners.batches import joined, sliced
from bideta.encoders.runners.preprocessing import checked
from bideta.images.background import read_background, small
from bideta.images.differences import HOW, difference

KEYWORD = Parameter.KEYWORD_ONLY


def weights_at() -> tuple[str, bool]:
    """Those of the encoder that the caller names; until then they are not there."""
    return "those of the named encoder", False


INFO = EncoderInfo(
    name="difference",
    title="Any encoder on the difference to the sensor's background",
    tactile=False,
    licence="that of the encoder",
    url="bideta help encoders",
    family="encoder",
    weights_at=weights_at,
    needs_background=True,
)


def load(name: str = "", *, background: Any = None, **settings: Any) -> Encoder:
    """The encoder ``name`` behind a difference.

    ``background`` is an ``(H, W, 3)`` uint8 picture, or a path: a picture, or a folder of untouched pictures, whose
    median is taken. At most 320 pixels of its longer side are kept; pictures of another size are subtracted at the
    smaller of both sizes. All other settings are those of ``name``.
    """
    _check(name)
    if background is None:
        raise ValueError(
            f"difference:{name} needs a background, a picture of the sensor without a contact, and none is known: give "
            "one with --background (in Python: background=), or put untouched ones into a folder background/ beside "
            "the class folders and adapt again"
        )
    path = isinstance(background, str | Path)
    picture = read_background(background) if path else small(background)
    return Difference(plugins.load_encoder(name, **settings), picture)


def plugin(name: str) -> ModuleType:
    """A plugin like any other, with the facts and settings of the encoder ``name`` and a background."""
    _check(name)
    inner = plugins.find("encoder", name)
    known = list(inspect.signature(inner.load).parameters.values())[":" in name :]
    own = [Parameter("name", Parameter.POSITIONAL_ONLY), Parameter("background", KEYWORD, default=None)]

    def load_named(*name: str, **given: Any) -> Encoder:
        return load(*name, **given)

    load_named.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [*own, *(one if one.kind is one.VAR_KEYWORD else one.replace(kind=KEYWORD) for one in known)]
    )
    module = ModuleType(f"difference:{name}", __doc__)
    vars(module).update(INFO=facts(inner.INFO), load=load_named)
    return module


def facts(info: EncoderInfo) -> EncoderInfo:
    """Facts of an encoder behind a difference."""
    return replace(
        info,
        name=f"{INFO.name}:{info.name}",
        title=f"{info.title}, on differences to the background",
        needs_background=True,
    )


class Difference:
    """An encoder that sees differences to one picture."""

    def __init__(self, encoder: Encoder, background: NDArray[np.uint8]) -> None:
        self.encoder, self.background = encoder, background
        self.info = facts(encoder.info)
        recipe = f"difference {HOW} {background.shape} {encoder.fingerprint} "
        self.fingerprint = hashlib.sha256(recipe.encode() + background.tobytes()).hexdigest()

    def with_background(self, background: NDArray[np.uint8]) -> Difference:
        """The same encoder with another background."""
        return Difference(self.encoder, small(background))

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        parts = [
            self.encoder.encode(
                self._subtracted(frames, "images"),
                None if before is None else self._subtracted(before, "previous"),
                batch_size,
            )
            for frames, before in sliced(images, previous, batch_size, self.info.channels)
        ]
        return joined(parts, self.info)

    def _subtracted(self, frames: Any, argument: str) -> list[NDArray[np.uint8]]:
        return [difference(checked(frame, argument), self.background) for frame in frames]


def _check(name: str) -> None:
    if not name:
        raise ValueError("which encoder? Name it after the colon, as in difference:handmade")
    if name.partition(":")[0] == INFO.name:
        raise ValueError(f"difference:{name} is a difference of differences; name an encoder once")
