"""An adapted sensor and its encoder: noted when the sensor is made, demanded when its file is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bideta import artifact, quantity_file
from bideta.artifact import ArtifactError
from bideta.classifier import Classifier
from bideta.encoders import Encoder, Readouts
from bideta.images.reading import shown
from bideta.quantity_sensor import QuantitySensor
from bideta.sensor import Sensor
from bideta.service.backgrounds import against, load_against
from bideta.service.noted_encoder import noted_encoder

if TYPE_CHECKING:  # with scikit-learn, which those who only answer classes go without
    from bideta.regressor import BidetaRegressor

SUSPICION = 0.5  # exchanged channels must fit twice as well before we say so
FLAT = 6.0  # of 255: colours closer than this say nothing


@dataclass(frozen=True)
class OpenQuantities:
    """A sensor adapted to quantities and its encoder, ready to answer."""

    adapted: BidetaRegressor
    encoder: Encoder
    warning: str = ""
    background: NDArray[np.uint8] | None = None


@dataclass(frozen=True)
class OpenSensor:
    """An adapted sensor and its encoder, ready to answer."""

    adapted: Classifier
    encoder: Encoder
    warning: str = ""  # what the user should know about how they were brought together
    background: NDArray[np.uint8] | None = None  # what differences are made to: the sensor's own, or today's


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


def open_sensor(
    path: Path, encoder: str | None, settings: dict[str, Any], background: NDArray[np.uint8] | None = None
) -> OpenSensor:
    """The adapted sensor and its encoder (or ``encoder``, where given); a different encoder is refused.

    A file that was saved from Python does not name its encoder: one of fitting widths is then taken on trust.
    ``background`` takes the place of the sensor's own: gel and light may have changed since.
    """
    adapted = Classifier.load(path)
    return OpenSensor(adapted, *encoder_for(path, adapted.sensor_, encoder, settings, background))


def open_quantities(
    path: Path, encoder: str | None, settings: dict[str, Any], background: NDArray[np.uint8] | None = None
) -> OpenQuantities | None:
    """The same for the quantities of a file; None where it answers classes only."""
    sensor = quantity_file.load_if_any(path)
    if sensor is None:
        return None
    from bideta.regressor import BidetaRegressor

    return OpenQuantities(
        BidetaRegressor.of(sensor), *encoder_for(path, sensor, encoder, settings, background)
    )


def answers_classes(path: Path) -> bool:
    """Whether a file holds classes; one written for quantities may hold nothing else."""
    return "classes" in artifact.read(path)[0]


def encoder_for(
    path: Path,
    sensor: Sensor | QuantitySensor,
    encoder: str | None,
    settings: dict[str, Any],
    today: NDArray[np.uint8] | None = None,
) -> tuple[Encoder, str, NDArray[np.uint8] | None]:
    """The encoder that a sensor was adapted with, what the user should know about it, and its background.

    The fingerprint is compared with the sensor's own background; ``today`` takes its place afterwards.
    """
    own = sensor.background
    loaded, warning = _open(path, sensor, encoder, settings, today if own is None else own)
    return (loaded, warning, own) if today is None else (against(loaded, today), warning, today)


def _open(
    path: Path,
    sensor: Sensor | QuantitySensor,
    encoder: str | None,
    settings: dict[str, Any],
    background: NDArray[np.uint8] | None,
) -> tuple[Encoder, str]:
    noted = noted_encoder(path, sensor.origin)
    if noted is None:
        return _open_on_trust(path, sensor.widths, encoder, settings, background)
    name = encoder or noted.usable_name(path)
    same_family = name.partition(":")[0] == noted.name.partition(":")[0]  # onnx:a.onnx may have moved
    known = noted.decisive(name) if same_family else {}
    loaded = load_against(name, {**known, **settings}, background)
    if loaded.fingerprint != noted.fingerprint:
        hint = noted.missed(name, settings) if same_family else ""
        raise ArtifactError(
            f"{shown(path)} was adapted with the encoder {noted.name!r} (fingerprint {noted.fingerprint[:12]}), but "
            f"{name!r} is now {loaded.fingerprint[:12]}: other weights or other preprocessing{hint}. Use the same "
            "encoder, or adapt again"
        )
    return loaded, ""


def _open_on_trust(
    path: Path,
    expected: list[int],
    name: str | None,
    settings: dict[str, Any],
    background: NDArray[np.uint8] | None,
) -> tuple[Encoder, str]:
    silent = f"{shown(path)} does not say which encoder its readouts came from"
    if name is None:
        raise ArtifactError(
            f"{silent}, so images cannot be encoded for it; name the encoder with --encoder, or make the file with: "
            "bideta adapt"
        )
    loaded = load_against(name, settings, background)
    if list(loaded.info.readouts) != expected:
        raise ArtifactError(
            f"{shown(path)} has readouts of {' + '.join(map(str, expected))} features, but {name!r} gives "
            f"{' + '.join(map(str, loaded.info.readouts))}: it was made with another encoder"
        )
    return loaded, f"{silent}; {name} has the same widths and is taken on trust"


def colour_warning(origin: Mapping[str, Any], colour: Sequence[float]) -> str:
    """A sentence where red and blue of the queries look exchanged against the support, else nothing."""
    support = origin.get("colour")
    if not (
        isinstance(support, list) and len(support) == 3 and all(isinstance(c, int | float) for c in support)
    ):
        return ""  # a file may hold anything there
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
