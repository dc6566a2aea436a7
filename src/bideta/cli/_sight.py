"""How ``adapt`` sees pictures: the encoder, the background, and what is subtracted before the encoder looks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.cli._background import find_background
from bideta.encoders import Encoder
from bideta.readers import Contacts
from bideta.service.backgrounds import (
    MINUS_UNTOUCHED,
    Others,
    load_against,
    minus,
    own_untouched,
    refuse_both,
)
from bideta.service.encoding import Encoded
from bideta.service.inputs import fitting_encoder
from bideta.service.sensors import describe_origin


@dataclass(frozen=True)
class Sight:
    """An encoder by name and settings, loaded, and what its pictures are seen against."""

    root: Path  # the folder, or any other input, of the pictures
    name: str
    settings: dict[str, Any]
    encoder: Encoder
    background: NDArray[np.uint8] | None
    minus_untouched: bool

    def others(self, contacts: Contacts) -> Others | None:
        """What is subtracted from each of the pictures."""
        return minus(own_untouched(contacts, self.root)) if self.minus_untouched else None

    def origin(self, encoded: Encoded, **more: Any) -> dict[str, Any]:
        """What the sensor's file remembers of it."""
        if self.minus_untouched:
            more[MINUS_UNTOUCHED] = True
        mark = self.encoder.fingerprint
        return describe_origin(self.name, self.settings, mark, encoded.readouts, encoded.colour, **more)


def open_sight(
    root: Path,
    encoder: str,
    settings: dict[str, Any],
    background: Path | None,
    minus_untouched: bool,
    download: bool,
    contacts: Contacts,
) -> Sight:
    """The encoder that fits the contacts of the input ``root``, with the background that was given or is found."""
    encoder, settings = fitting_encoder(contacts, encoder, settings)
    refuse_both(encoder, minus_untouched)
    untouched = own_untouched(contacts, root) if minus_untouched else None
    picture = find_background(background, root, encoder, contacts.pictures, untouched)
    loaded = load_against(encoder, settings, picture, download=download)
    return Sight(root, encoder, settings, loaded, picture, minus_untouched)
