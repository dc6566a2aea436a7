"""Several encoders as one, ``a+b``: a picture is read once, and the readouts of all parts stand side by side.

A setting goes to every part that has it. ``tvl.weights=…`` goes to the part ``tvl`` alone, and wins there.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.encoders import AgainstBackground, Encoder, EncoderInfo, Readouts
from bideta.encoders.runners.batches import joined, sliced
from bideta.encoders.runners.prepared import Prepared, encode_prepared, prepare
from bideta.plugins import find, load


class SideBySide:
    """One encoder with the readouts of all parts, in their order."""

    def __init__(self, parts: Sequence[Encoder]) -> None:
        self.parts = tuple(parts)
        self.info = facts([part.info for part in parts])
        marks = " ".join(part.fingerprint for part in parts)
        self.fingerprint = hashlib.sha256(f"side by side {marks}".encode()).hexdigest()

    def with_background(self, background: NDArray[np.uint8]) -> SideBySide:
        """The same encoders; those that ask for a background with another one."""
        return SideBySide(
            [
                part.with_background(background) if isinstance(part, AgainstBackground) else part
                for part in self.parts
            ]
        )

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """All readouts, float32, of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        batches = [
            [readout for part in self.parts for readout in part.encode(frames, before, batch_size)]
            for frames, before in sliced(images, previous, batch_size, self.info.channels)
        ]
        return joined(batches, self.info)

    def prepare(self, image: Any, previous: Any = None) -> Prepared:
        """What each part needs of the frame."""
        before = None if self.info.channels == 3 else previous
        return tuple(prepare(part, image, before) for part in self.parts)

    def encode_prepared(self, prepared: Sequence[Prepared]) -> Readouts:
        """All readouts, float32, of what ``prepare`` made of a batch."""
        shares = zip(self.parts, zip(*prepared, strict=True), strict=True)
        return tuple(readout for part, share in shares for readout in encode_prepared(part, share))


def plugin(names: Sequence[str]) -> ModuleType:
    """A plugin like any other, with ``INFO`` and ``load``, made of the named ones."""
    modules = [find("encoder", name) for name in names]
    known = [_settings(module, name) for module, name in zip(modules, names, strict=True)]

    def load_parts(**settings: Any) -> SideBySide:
        shares = shared_out(settings, names, known)
        return SideBySide([load("encoder", name, **share) for name, share in zip(names, shares, strict=True)])

    # Its settings can be asked for, as those of any plugin.
    keywords = {
        setting: parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for taken in known
        for setting, parameter in taken.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    }
    dotted = inspect.Parameter("dotted", inspect.Parameter.VAR_KEYWORD)
    load_parts.__signature__ = inspect.Signature([*keywords.values(), dotted])  # type: ignore[attr-defined]
    module = ModuleType("+".join(names), __doc__)
    vars(module).update(INFO=facts([part.INFO for part in modules]), load=load_parts)
    return module


def _settings(module: ModuleType, name: str) -> dict[str, inspect.Parameter]:
    """What ``load`` takes beside the word after the colon."""
    parameters = list(inspect.signature(module.load).parameters.items())
    return dict(parameters[":" in name :])


def shared_out(
    settings: Mapping[str, Any], names: Sequence[str], known: Sequence[Mapping[str, inspect.Parameter]]
) -> list[dict[str, Any]]:
    """The settings of each part; one that no part has is refused."""
    shares: list[dict[str, Any]] = [{} for _ in names]
    for key in sorted(settings, key=lambda key: "." in key):  # those of one part come last
        part, _, setting = key.rpartition(".")
        takers = [
            share
            for share, name, taken in zip(shares, names, known, strict=True)
            if part in ("", name, name.partition(":")[0])
            and (setting in taken or any(p.kind is p.VAR_KEYWORD for p in taken.values()))
        ]
        if not takers:
            each = "; ".join(
                f"{name}: {', '.join(taken) or 'none'}" for name, taken in zip(names, known, strict=True)
            )
            raise ValueError(f"the encoder {'+'.join(names)!r} has no setting {key!r}. Known: {each}")
        for share in takers:
            share[setting] = settings[key]
    return shares


def facts(infos: Sequence[EncoderInfo]) -> EncoderInfo:
    """Facts of the whole."""
    sizes = [info.parameters for info in infos]
    return EncoderInfo(
        name="+".join(info.name for info in infos),
        title="; ".join(info.title for info in infos),
        input_size=max(info.input_size for info in infos),
        channels=max(info.channels for info in infos),
        readouts=tuple(width for info in infos for width in info.readouts),
        parameters=None if None in sizes else sum(size or 0 for size in sizes),
        tactile=all(info.tactile for info in infos),
        trained_on=_listed(info.trained_on for info in infos),
        licence=_listed(info.licence for info in infos),
        reference=_listed(info.reference for info in infos),
        url=_listed(info.url for info in infos),
        family=next((info.family for info in infos if info.family), ""),
        extra=",".join(dict.fromkeys(info.extra for info in infos if info.extra)),
        run_by="torch" if any(info.run_by == "torch" for info in infos) else "onnxruntime",
        decisive=tuple(dict.fromkeys(setting for info in infos for setting in info.decisive)),
        weights_at=partial(_weights_at, tuple(info.weights_at for info in infos)),
        needs_background=any(info.needs_background for info in infos),
    )


def _listed(texts: Any) -> str:
    return "; ".join(dict.fromkeys(text for text in texts if text))


def _weights_at(parts: tuple[Callable[[], tuple[str, bool]], ...]) -> tuple[str, bool]:
    places = [part() for part in parts]
    return _listed(place for place, _ in places), all(there for _, there in places)
