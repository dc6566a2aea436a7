"""An adapted sensor and the encoder it belongs to: noted when it is made, demanded when it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer

from bideta.artifact import ArtifactError
from bideta.cli._settings import load_plugin, parse_settings
from bideta.cli._terminal import note, progress
from bideta.encoders import Encoder
from bideta.estimator import Bideta
from bideta.images.folders import relative
from bideta.images.reading import shown
from bideta.plugins import load_encoder
from bideta.service.encoding import Encoded, encode_files

DEFAULT_ENCODER = "twin-tvl"
INCOMPLETE = 1  # exit code: done, except for the files that were named
SUSPICION = 0.5  # exchanged channels must fit twice as well before we say so
FLAT = 6.0  # of 255: colours closer than this say nothing


@dataclass(frozen=True)
class Sensor:
    """An adapted sensor, ready to answer."""

    adapted: Bideta
    encoder: Encoder
    origin: dict[str, Any]


def note_origin(name: str, settings: dict[str, Any], encoder: Encoder, encoded: Encoded) -> dict[str, Any]:
    """What the artifact remembers of its encoder and its support."""
    return {
        "bideta": version("bideta"),
        "encoder": name,
        "settings": settings,
        "fingerprint": encoder.fingerprint,
        "readouts": list(encoder.info.readouts),
        "support": len(encoded.rows),
        "colour": list(encoded.colour),
    }


def open_sensor(path: Path, encoder: str | None, pairs: Sequence[str]) -> Sensor:
    """The adapted sensor and its encoder (or ``encoder``, where given); a different encoder is refused.

    A file that was saved from Python does not name its encoder: one of fitting widths is then taken on trust.
    """
    adapted = Bideta.load(path)
    origin = adapted.origin_
    if "fingerprint" not in origin:
        return Sensor(adapted, trusted(path, adapted, encoder, pairs), origin)
    name = encoder or origin["encoder"]
    same_family = name.partition(":")[0] == origin["encoder"].partition(":")[0]  # onnx:a.onnx may have moved
    kept = origin["settings"] if same_family else {}
    loaded: Encoder = load_plugin(load_encoder, name, {**kept, **parse_settings(pairs)})
    if loaded.fingerprint != origin["fingerprint"]:
        raise ArtifactError(
            f"{shown(path)} was adapted with the encoder {origin['encoder']!r} (fingerprint "
            f"{origin['fingerprint'][:12]}), but {name!r} is now {loaded.fingerprint[:12]}: other weights or other "
            "preprocessing. Use the same encoder, or adapt again"
        )
    return Sensor(adapted, loaded, origin)


def trusted(path: Path, adapted: Bideta, name: str | None, pairs: Sequence[str]) -> Encoder:
    """The encoder of that name, for a file that does not say which it was made with; widths must fit."""
    silent = f"{shown(path)} does not say which encoder its readouts came from"
    if name is None:
        raise ArtifactError(
            f"{silent}, so images cannot be encoded for it; name the encoder with --encoder, or make the file with: "
            "bideta adapt"
        )
    loaded: Encoder = load_plugin(load_encoder, name, parse_settings(pairs))
    expected = [len(readout.standardizer.mean) for readout in adapted.readouts_]
    if list(loaded.info.readouts) != expected:
        raise ArtifactError(
            f"{shown(path)} has readouts of {' + '.join(map(str, expected))} features, but {name!r} gives "
            f"{' + '.join(map(str, loaded.info.readouts))}: it was made with another encoder"
        )
    note(f"warning: {silent}; {name} has the same widths and is taken on trust")
    return loaded


def encode(encoder: Encoder, paths: Sequence[Path], batch_size: int) -> Encoded:
    """Readouts of the readable files, with a progress bar."""
    with progress("encode") as step:
        return encode_files(encoder, paths, batch_size, step)


def report_broken(encoded: Encoded, total: int) -> None:
    """Name every file that could not be read, and how many."""
    for reason in encoded.broken.values():
        note(reason)
    if encoded.broken:
        note(f"{len(encoded.broken)} of {total} images could not be read")


def exit_incomplete(encoded: Encoded) -> None:
    """Leave with exit code 1 where files had to be left out."""
    if encoded.broken:
        raise typer.Exit(INCOMPLETE)


def warn_colour(origin: dict[str, Any], encoded: Encoded) -> None:
    """Say so where red and blue of the queries look exchanged against the support."""
    support = origin.get("colour")
    if not support:
        return
    red, green, blue = encoded.colour
    as_is, exchanged = _distance(support, (red, green, blue)), _distance(support, (blue, green, red))
    if as_is > FLAT and exchanged < SUSPICION * as_is:
        note(
            f"warning: the queries' mean colour is ({red:.0f}, {green:.0f}, {blue:.0f}), the support's "
            f"({', '.join(f'{value:.0f}' for value in support)}): red and blue look exchanged (BGR for RGB?)"
        )


def named(paths: Sequence[Path], root: Path, encoded: Encoded) -> list[str]:
    """The readable files' names below ``root``."""
    return [relative(paths[row], root) for row in encoded.rows]


def _distance(a: Sequence[float], b: Sequence[float]) -> float:
    return max(abs(x - y) for x, y in zip(a, b, strict=True))
