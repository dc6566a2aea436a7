"""An adapted sensor and its encoder: noted when the sensor is made, demanded when its file is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bideta.artifact import ArtifactError
from bideta.encoders import Encoder, Readouts
from bideta.estimator import Bideta
from bideta.images.reading import shown
from bideta.service.plugins import load_plugin

SUSPICION = 0.5  # exchanged channels must fit twice as well before we say so
FLAT = 6.0  # of 255: colours closer than this say nothing


@dataclass(frozen=True)
class OpenSensor:
    """An adapted sensor and its encoder, ready to answer."""

    adapted: Bideta
    encoder: Encoder
    warning: str = ""  # what the user should know about how they were brought together


def describe_origin(
    encoder: str,
    settings: dict[str, Any],
    fingerprint: str,
    readouts: Readouts,
    colour: Sequence[float],
    **more: Any,
) -> dict[str, Any]:
    """What a sensor's file remembers of its encoder and its labelled contacts."""
    return {
        "bideta": version("bideta"),
        "encoder": encoder,
        "settings": settings,
        "fingerprint": fingerprint,
        "readouts": [H.shape[1] for H in readouts],
        "support": len(readouts[0]),
        "colour": list(colour),
        **more,
    }


def open_sensor(path: Path, encoder: str | None, settings: dict[str, Any]) -> OpenSensor:
    """The adapted sensor and its encoder (or ``encoder``, where given); a different encoder is refused.

    A file that was saved from Python does not name its encoder: one of fitting widths is then taken on trust.
    """
    adapted = Bideta.load(path)
    origin = adapted.sensor_.origin
    if "fingerprint" not in origin:
        return _open_on_trust(path, adapted, encoder, settings)
    name = encoder or origin["encoder"]
    same_family = name.partition(":")[0] == origin["encoder"].partition(":")[0]  # onnx:a.onnx may have moved
    noted = origin["settings"] if same_family else {}
    loaded: Encoder = load_plugin("encoder", name, {**noted, **settings})
    if loaded.fingerprint != origin["fingerprint"]:
        raise ArtifactError(
            f"{shown(path)} was adapted with the encoder {origin['encoder']!r} (fingerprint "
            f"{origin['fingerprint'][:12]}), but {name!r} is now {loaded.fingerprint[:12]}: other weights or other "
            "preprocessing. Use the same encoder, or adapt again"
        )
    return OpenSensor(adapted, loaded)


def _open_on_trust(path: Path, adapted: Bideta, name: str | None, settings: dict[str, Any]) -> OpenSensor:
    silent = f"{shown(path)} does not say which encoder its readouts came from"
    if name is None:
        raise ArtifactError(
            f"{silent}, so images cannot be encoded for it; name the encoder with --encoder, or make the file with: "
            "bideta adapt"
        )
    loaded: Encoder = load_plugin("encoder", name, settings)
    expected = adapted.sensor_.widths
    if list(loaded.info.readouts) != expected:
        raise ArtifactError(
            f"{shown(path)} has readouts of {' + '.join(map(str, expected))} features, but {name!r} gives "
            f"{' + '.join(map(str, loaded.info.readouts))}: it was made with another encoder"
        )
    return OpenSensor(adapted, loaded, f"{silent}; {name} has the same widths and is taken on trust")


def colour_warning(origin: Mapping[str, Any], colour: Sequence[float]) -> str:
    """A sentence where red and blue of the queries look exchanged against the support, else nothing."""
    support = origin.get("colour")
    if not support:
        return ""
    red, green, blue = colour
    as_is, exchanged = _distance(support, (red, green, blue)), _distance(support, (blue, green, red))
    if as_is <= FLAT or exchanged >= SUSPICION * as_is:
        return ""
    return (
        f"the queries' mean colour is ({red:.0f}, {green:.0f}, {blue:.0f}), the support's "
        f"({', '.join(f'{value:.0f}' for value in support)}): red and blue look exchanged (BGR for RGB?)"
    )


def _distance(a: Sequence[float], b: Sequence[float]) -> float:
    return max(abs(x - y) for x, y in zip(a, b, strict=True))
