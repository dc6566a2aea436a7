"""Readouts of sets by encoder, computed once and kept on disk, and what is made of a whole set."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.deploy.trust.leak import Leak, leak
from bideta.encoders import Encoder, Readouts
from bideta.protocol.readout_cache import read_or_encode
from bideta.protocol.real.methods import prepare_source
from bideta.protocol.real.sets import RealSet
from bideta.protocol.real.splits import Split
from bideta.service.plugins import load_plugin


def silent(line: str) -> None:
    """Say nothing."""


class Readings:
    """Readouts of sets by encoder; ``a+b`` are the readouts of both side by side."""

    def __init__(
        self, sets: dict[str, RealSet], cache: Path | None, say: Callable[[str], None] = silent
    ) -> None:
        self.sets, self.cache, self.say = sets, cache, say
        self.encoder = lru_cache(maxsize=None)(self._encoder)
        self.of = lru_cache(maxsize=8)(self._of)
        self.leak = lru_cache(maxsize=None)(self._leak)
        self.source = lru_cache(maxsize=2)(self._source)

    def __reduce__(self) -> tuple[Any, ...]:
        return Readings, (self.sets, self.cache)  # other processes read from the disk

    def read(self, encoder: str, split: Split) -> None:
        """All that cells of this split will ask for."""
        for recording in (split.taught, split.asked):
            self.of(encoder, recording.name, split.minus_untouched)
        self.leak(encoder, split.asked.name)

    def _encoder(self, name: str) -> Encoder:
        loaded: Encoder = load_plugin("encoder", name, {})
        return loaded

    def _of(self, name: str, recording: str, minus_untouched: bool) -> Readouts:
        frames = self.sets[recording].frames(minus_untouched)
        title = f"{recording}{' minus untouched' if minus_untouched else ''}"
        return self._read(name, frames, title)

    def _leak(self, name: str, recording: str) -> Leak | None:
        frames = self.sets[recording].backgrounds()
        if frames is None:
            return None
        return leak(self._read(name, frames, f"{recording} backgrounds"), frames.labels)

    def _source(self, name: str, recording: str) -> Any:
        return prepare_source(self.of(name, recording, False), self.sets[recording].labels)

    def _read(self, name: str, frames: Any, title: str) -> Readouts:
        parts: list[NDArray[np.float32]] = []
        for part in name.split("+"):
            self.say(f"{title}, {part}")
            parts += read_or_encode(self.encoder(part), frames, self.cache, title=title)
        return tuple(parts)
