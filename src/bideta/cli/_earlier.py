"""``adapt --from``: the sensor as it was before, where it fits the one that is adapted now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from bideta.classifier import Classifier
from bideta.cli._sight import Sight
from bideta.deploy import Kept
from bideta.images.reading import shown
from bideta.service.backgrounds import MINUS_UNTOUCHED
from bideta.service.noted_encoder import noted_encoder
from bideta.service.sensors import answers_classes

SEES_BACKGROUND = "difference"  # such an encoder is another one with every background

From = Annotated[
    Path | None,
    typer.Option(
        "--from",
        help="file of the sensor before its gel or day changed: its labelled contacts are kept as far as the new ones "
        "speak for them",
    ),
]


def open_earlier(path: Path, sight: Sight) -> Classifier:
    """The earlier sensor; an error where its readouts are not those of the pictures seen now."""
    if not answers_classes(path):
        raise ValueError(f"--from {shown(path)} answers quantities only; expected a sensor with classes")
    earlier = Classifier.load(path)
    noted = noted_encoder(path, earlier.sensor_.origin)
    if noted is None:
        raise ValueError(
            f"--from {shown(path)} does not say which encoder its readouts came from; expected a file made by bideta "
            "adapt, or join both in Python: bideta.deploy.keep_earlier"
        )
    same = noted.fingerprint == sight.encoder.fingerprint
    if not same and not (sight.name.startswith(SEES_BACKGROUND) and noted.name == sight.name):
        raise ValueError(
            f"--from {shown(path)} was adapted with the encoder {shown(noted.name)}, the new contacts are seen by "
            f"{shown(sight.name)} or by other weights of it; give the same --encoder, or leave out --from"
        )
    if bool(earlier.sensor_.origin.get(MINUS_UNTOUCHED)) != sight.minus_untouched:
        raise ValueError(f"--from {shown(path)}: both or none must be adapted with --minus-untouched")
    return earlier


def earlier_warnings(kept: Kept, path: Path) -> Iterator[str]:
    """What a user may not expect of the earlier contacts; none of it prevents adapting."""
    lost = ", ".join(map(shown, kept.only_earlier))
    if kept.another_sensor and not kept.contacts:
        gone = f" Its classes {lost} are left out" if lost else ""
        yield (
            f"the pictures of {shown(path)} look like another sensor's, and the new labels do not speak for its "
            f"contacts: started anew.{gone}"
        )
    elif kept.contacts and not kept.common and not kept.spoken_for:
        yield (
            f"{shown(path)} has no class in common with the new contacts, and nothing says that its own fit this "
            f"sensor. They are kept for {lost}, and may mislead; without --from they are left out"
        )
    elif lost and not kept.contacts:
        yield f"the new labels are told better without the earlier contacts: the classes {lost} are left out"
