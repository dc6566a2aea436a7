"""One session: contacts, labels and the adapted sensor. Every change is on disk before the call returns."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bideta.encoders import Encoder, Readouts
from bideta.estimator import Bideta
from bideta.images.folders import natural
from bideta.service.encoding import encode_pictures
from bideta.studio import store
from bideta.studio.limits import Limits
from bideta.studio.pictures import Picture, Upload, decode
from bideta.studio.session_contacts import Contact, press_numbers
from bideta.studio.store import Part
from bideta.studio.texts import clean_label


class RefusedError(Exception):
    """A request that cannot be served, with its HTTP status; the message is for people."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Prepared:
    """Decoded and encoded uploads on their way to the disk; empty where their key is stored already."""

    key: str
    pictures: Sequence[Picture] = ()
    rejected: Sequence[dict[str, str]] = ()
    readouts: Readouts = ()


class Session:
    """Contacts, labels and the adapted sensor. Every change is on disk before the call returns."""

    def __init__(self, folder: Path, meta: store.Meta, limits: Limits) -> None:
        self.id, self.folder, self.meta, self.limits = folder.name, folder, meta, limits
        self.lock = threading.RLock()
        self.users = 0
        self.used = time.time()
        self.contacts: dict[str, Contact] = {}
        self.uploads: dict[str, Part] = {}  # key → part
        self.bytes = 0
        self.cache: dict[str, Any] = {}  # results of the present state, made by ``analysis``
        # Source heads by classes: slow to fit, and labels do not matter to them.
        self.heads: dict[tuple[str, ...], Any] = {}
        self._adapted: Bideta | None = None
        self._next_part = 1

    @classmethod
    def restore(cls, folder: Path, limits: Limits) -> Session:
        """The session as its last completed change left it."""
        store.tidy(folder)
        try:
            self = cls(folder, store.read_meta(folder), limits)
        except ValueError as error:
            raise RefusedError(404, str(error)) from error
        for part in store.read_parts(folder):
            self.uploads[part.key] = part
            self.contacts.update({contact.id: contact for contact in part.contacts})
            self._next_part = max(self._next_part, part.number + 1)
        for name, edit in self.meta.edits.items():
            if edit.get("removed"):
                self.contacts.pop(name, None)
            elif name in self.contacts:
                self.contacts[name].label = edit.get("label")
        self.bytes = store.size_of(folder)
        return self

    @property
    def support(self) -> list[Contact]:
        """The labelled contacts, in the order in which ``bideta adapt`` would read their exported folders."""
        labelled = [c for c in self.contacts.values() if c.label is not None]
        number = dict(zip((c.id for c in labelled), press_numbers(labelled), strict=True))
        # Stable: uploads keep their order. Frames of a press lie in a folder, behind single files.
        return sorted(
            labelled, key=lambda c: (natural(str(c.label)), -1 if c.press is None else number[c.id])
        )

    @property
    def queries(self) -> list[Contact]:
        """The contacts without a label, in the order of their upload."""
        return [c for c in self.contacts.values() if c.label is None]

    @property
    def adapted(self) -> Bideta | None:
        """The adapted sensor, or None before the first adaptation."""
        with self.lock:
            if self._adapted is None and (self.folder / store.SENSOR).is_file():
                self._adapted = Bideta.load(self.folder / store.SENSOR)
            return self._adapted

    def keep(self, adapted: Bideta) -> None:
        """Store a new adapted sensor."""
        with self.lock:
            adapted.save(self.folder / store.SENSOR)
            self._adapted = adapted
            self._changed()

    def add(self, uploads: Sequence[Upload], encoder: Encoder, key: str) -> Part:
        """Decode, encode and store uploads; a key that was stored before gives the same answer again.

        A bad file is named in the answer, the others are stored.
        """
        return self.store(self.prepare(uploads, encoder, key))

    def prepare(self, uploads: Sequence[Upload], encoder: Encoder, key: str) -> Prepared:
        """The part of ``add`` that computes, and changes nothing."""
        if key in self.uploads:
            return Prepared(key)
        self._check_room(len(uploads), sum(len(upload.content) for upload in uploads))
        pictures, rejected = decode(uploads, self.limits)
        pixels = [picture.pixels for picture in pictures]
        return Prepared(key, pictures, rejected, encode_pictures(encoder, pixels) if pixels else ())

    def store(self, done: Prepared) -> Part:
        """The part of ``add`` that waits for the disk."""
        with self.lock:
            if done.key in self.uploads:
                return self.uploads[done.key]
            number, self._next_part = self._next_part, self._next_part + 1
            made = [
                Contact(
                    id=f"c{number}-{row}",
                    name=picture.upload.name,
                    label=picture.upload.label,
                    truth=picture.upload.truth,
                    press=picture.upload.press,
                    readouts=tuple(readouts),
                    colour=picture.colour,
                    part=number,
                    suffix=picture.suffix,
                )
                for row, (picture, *readouts) in enumerate(zip(done.pictures, *done.readouts, strict=True))
            ]
            part = Part(number, done.key, made, list(done.rejected))
            if made:
                self._check_room(len(made), 0)
                self.bytes += store.write_part(self.folder, part, done.pictures)
                self.contacts.update({contact.id: contact for contact in made})
                self.uploads[done.key] = part
                self._changed()
            return part

    def set_label(self, name: str, label: str | None) -> Contact:
        """Give a contact a label (it joins the support), or take it away (it becomes a query)."""
        label = clean_label(label, self.limits)
        with self.lock:
            contact = self.find(name)
            contact.label = label
            self.meta.edits[name] = {"label": label}
            self.save_meta()
            return contact

    def remove(self, name: str) -> None:
        """Forget a contact."""
        with self.lock:
            self.find(name)
            del self.contacts[name]
            self.meta.edits[name] = {"removed": True}
            self.save_meta()

    def find(self, name: str) -> Contact:
        """The contact of that id."""
        if name not in self.contacts:
            raise RefusedError(404, "there is no such contact in this session; it may have been removed")
        return self.contacts[name]

    def save_meta(self) -> None:
        """Store changed settings."""
        with self.lock:
            store.write_meta(self.folder, self.meta)
            self._changed()

    def _changed(self) -> None:
        self.cache = {}  # a new one: what is still being computed for the old state goes into the old one

    def _check_room(self, count: int, size: int) -> None:
        if len(self.contacts) + count > self.limits.session_contacts:
            raise RefusedError(
                413, f"a session holds at most {self.limits.session_contacts:,} contacts; start another one"
            )
        if self.bytes + size > self.limits.session_bytes:
            raise RefusedError(
                413, f"a session holds at most {self.limits.session_bytes:,} bytes; start another one"
            )
