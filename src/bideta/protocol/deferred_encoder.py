"""An encoder whose facts are known now and whose network is loaded when it must encode."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from bideta.datasets import DatasetInfo
from bideta.encoders import Encoder, EncoderInfo, Readouts
from bideta.encoders.runners.prepared import Prepared, encode_prepared, prepare
from bideta.plugins import find, load_encoder

LOADING = threading.Lock()  # threads that prepare pictures share one network


class DeferredEncoder:
    """An encoder that is loaded when it must encode; its facts are known before."""

    def __init__(self, name: str, settings: Mapping[str, Any], info: EncoderInfo, fingerprint: str) -> None:
        self.name, self.settings = name, dict(settings)
        self.info, self.fingerprint = info, fingerprint
        self._loaded: Encoder | None = None

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Two float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        return self._open().encode(images, previous, batch_size)

    def prepare(self, image: Any, previous: Any = None) -> Prepared:
        """What the network needs of one frame."""
        return prepare(self._open(), image, previous)

    def encode_prepared(self, prepared: Sequence[Prepared]) -> Readouts:
        """The readouts of what ``prepare`` made of a batch."""
        return encode_prepared(self._open(), prepared)

    def _open(self) -> Encoder:
        with LOADING:
            if self._loaded is None:
                self._loaded = open_encoder(self.name, self.settings)
            return self._loaded

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loaded": None}  # other processes load their own


def open_encoder(name: str, settings: Mapping[str, Any]) -> Encoder:
    """The encoder on one thread (where it can be told): cells and pictures are what is spread over cores."""
    known = inspect.signature(find("encoder", name).load).parameters
    threads = {"threads": 1} if "threads" in known else {}
    encoder: Encoder = load_encoder(name, **{**threads, **settings})
    return encoder


def reading_settings(name: str, settings: Mapping[str, Any], info: DatasetInfo) -> dict[str, Any]:
    """Settings with which an encoder reads a dataset: its pictures are resized as the dataset says, unless told how."""
    known = inspect.signature(find("encoder", name).load).parameters
    says = {"resize": info.resize} if "resize" in known else {}
    return {**says, **settings}


def defer_encoder(name: str, settings: Mapping[str, Any]) -> DeferredEncoder:
    """The encoder's facts; it is loaded once here, for its fingerprint, and dropped."""
    encoder = open_encoder(name, settings)
    return DeferredEncoder(name, settings, encoder.info, encoder.fingerprint)
