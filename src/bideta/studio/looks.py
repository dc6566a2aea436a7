"""Three ways to look at a contact: as it is, against the background, with enlarged contrast; small or large."""

from __future__ import annotations

import io
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bideta.images.background import median_picture
from bideta.images.contrast import enlarged_contrast
from bideta.images.differences import difference
from bideta.images.png import png
from bideta.images.reading import decode_image
from bideta.studio import store
from bideta.studio.session import Session
from bideta.studio.session_contacts import Contact

Look = Literal["picture", "difference", "contrast"]
LARGE = 640  # px, longer side of an enlarged picture
MEDIAN_OF = 63  # contacts whose median stands for the background where no picture of it is known
Pixels = NDArray[np.uint8]


def shown(session: Session, contact: Contact, look: Look, large: bool, background: Pixels | None) -> bytes:
    """PNG of a contact; ``background`` is the server's, used where the sensor has none of its own."""
    stored = store.read_picture(session.folder, contact, "image" if large else "thumb")
    if look == "picture" and not large:
        return stored
    pixels = _decoded(session, contact, stored)
    if look == "difference":
        pixels = difference(pixels, background_of(session, background))
    elif look == "contrast":
        pixels = enlarged_contrast(pixels)
    return png(pixels)


def has_background(session: Session, given: Pixels | None) -> bool:
    """Whether a picture of the untouched sensor is known; without one the median of the contacts stands for it."""
    return given is not None or (
        session.adapted is not None and session.adapted.sensor_.background is not None
    )


def background_of(session: Session, given: Pixels | None) -> Pixels:
    """The sensor without a contact: the adapted sensor's picture, the server's, or the median of the contacts."""
    own = None if session.adapted is None else session.adapted.sensor_.background
    if own is not None or given is not None:
        return own if own is not None else given  # type: ignore[return-value]
    with session.lock:
        uploads = len(session.uploads)
        if session.median is None or session.median[0] != uploads:
            contacts = list(session.contacts.values())
            some = np.unique(np.linspace(0, len(contacts) - 1, min(len(contacts), MEDIAN_OF)).astype(int))
            thumbs = _Thumbs(session, [contacts[i] for i in some])
            session.median = uploads, median_picture(thumbs)
        return session.median[1]


class _Thumbs:
    """Small pictures of some contacts, read when they are indexed."""

    def __init__(self, session: Session, contacts: list[Contact]) -> None:
        self.session, self.contacts = session, contacts

    def __len__(self) -> int:
        return len(self.contacts)

    def __getitem__(self, row: int) -> Pixels:
        contact = self.contacts[row]
        return _decoded(self.session, contact, store.read_picture(self.session.folder, contact, "thumb"))


def _decoded(session: Session, contact: Contact, content: bytes) -> Pixels:
    pixels = decode_image(io.BytesIO(content), contact.name, session.limits.image_pixels)
    image = Image.fromarray(pixels)
    image.thumbnail((LARGE, LARGE))
    return np.asarray(image)
