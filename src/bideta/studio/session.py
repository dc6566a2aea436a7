"""One session: contacts, labels and the adapted sensor. Every change is on disk before the call returns."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.classifier import Classifier
from bideta.encoders import Encoder, Readouts
from bideta.images.folders import natural
from bideta.service.encoding import Parts
from bideta.studio import store
from bideta.studio.limits import Limits
from bideta.studio.pictures import Picture, Upload, decode
from bideta.studio.refused import RefusedError
from bideta.studio.session_contacts import Contact, press_numbers
from bideta.studio.store import Part
from bideta.studio.texts import clean_label

PROGRESS = 500  # points of the curve that are kept
Reserve = Callable[[str, int], None]  # session, bytes that it will grow by; refuses where the store is full


@dataclass(frozen=True)
class Prepared:
    """Decoded and encoded uploads on their way to the disk; empty where their key is stored already."""

    key: str
    pictures: Sequence[Picture] = ()
    rejected: Sequence[dict[str, str]] = ()
    readouts: Readouts = ()


class Session:
    """Contacts, labels and the adapted sensor. Every change is on disk before the call returns."""

    def __init__(self, folder: Path, meta: store.Meta, limits: Limits, reserve: Reserve) -> None:
        self.id, self.folder, self.meta, self.limits = folder.name, folder, meta, limits
        self._reserve = reserve
        self.lock = threading.RLock()
        self.users = 0
        self.used = time.time()
        self.contacts: dict[str, Contact] = {}
        self.uploads: dict[str, Part] = {}  # key → part
        self.bytes = 0
        self.cache: dict[str, Any] = {}  # results of the present state, made by ``analysis``
        # Source heads by classes: slow to fit, and labels do not matter to them.
        self.heads: dict[tuple[str, ...], Any] = {}
        self.damaged: dict[str, str] = {}  # file of the store → why it cannot be read
        self.median: tuple[int, NDArray[np.uint8]] | None = None  # uploads so far, and their median picture
        self._adapted: Classifier | None = None
        self._next_part = 1

    @classmethod
    def restore(cls, folder: Path, limits: Limits, reserve: Reserve) -> Session:
        """The session as its last completed change left it."""
        store.tidy(folder)
        try:
            self = cls(folder, store.read_meta(folder), limits, reserve)
        except ValueError as error:
            raise RefusedError(404, str(error)) from error
        parts, self.damaged = store.read_parts(folder)
        for part in parts:
            self.uploads[part.key] = part
            self.contacts.update({contact.id: contact for contact in part.contacts})
        self._next_part = store.last_part(folder) + 1
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
    def adapted(self) -> Classifier | None:
        """The adapted sensor, or None before the first adaptation, and where its file is ``damaged``."""
        with self.lock:
            path = self.folder / store.SENSOR
            if self._adapted is None and store.SENSOR not in self.damaged and path.is_file():
                try:
                    self._adapted = Classifier.load(path)
                except store.DAMAGE as error:
                    self.damaged[store.SENSOR] = f"the adapted sensor cannot be read: {error}"
            return self._adapted

    def keep(self, adapted: Classifier) -> None:
        """Store a new adapted sensor."""
        with self.lock:
            path = self.folder / store.SENSOR
            before = path.stat().st_size if path.is_file() else 0
            adapted.save(path)
            self.bytes += path.stat().st_size - before
            self.damaged.pop(store.SENSOR, None)
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
        self._reserve(self.id, 0)
        parts = Parts(encoder)
        pictures, rejected = decode(uploads, self.limits, parts.add, parts.prepare)
        return Prepared(key, pictures, rejected, parts.readouts() if pictures else ())

    def store(self, done: Prepared) -> Part:
        """The part of ``add`` that waits for the disk."""
        with self.lock:
            if done.key in self.uploads:
                return self.uploads[done.key]
            number, self._next_part = self._next_part, self._next_part + 1
            done = self._without_copies(done)
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
                    digest=picture.digest,
                    sketch=picture.sketch,
                )
                for row, (picture, *readouts) in enumerate(zip(done.pictures, *done.readouts, strict=True))
            ]
            part = Part(number, done.key, made, list(done.rejected))
            if made:
                self._check_room(len(made), 0)
                self._reserve(self.id, store.size_of_part(part, done.pictures))
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
            self.change(edits={**self.meta.edits, name: {"label": label}})
            contact.label = label
            self._changed()
            return contact

    def remove(self, name: str) -> None:
        """Forget a contact."""
        with self.lock:
            self.find(name)
            self.change(edits={**self.meta.edits, name: {"removed": True}})
            del self.contacts[name]
            self._changed()

    def bring_back(self, name: str, label: str | None) -> Contact:
        """Take a contact in again that was removed, in its old place."""
        label = clean_label(label, self.limits)
        with self.lock:
            stored = {contact.id: contact for part in self.uploads.values() for contact in part.contacts}
            if name not in stored or name in self.contacts:
                raise RefusedError(404, "no contact of that id was removed from this session")
            self._check_room(1, 0)
            self.change(edits={**self.meta.edits, name: {"label": label}})
            stored[name].label = label
            kept = {**self.contacts, name: stored[name]}
            self.contacts = {id_: kept[id_] for id_ in stored if id_ in kept}
            self._changed()
            return stored[name]

    def find(self, name: str) -> Contact:
        """The contact of that id."""
        if name not in self.contacts:
            raise RefusedError(404, "there is no such contact in this session; it may have been removed")
        return self.contacts[name]

    def note_progress(self, point: dict[str, Any]) -> None:
        """Remember how good the sensor is with so many labels; points of more labels were taken back.

        A full disk loses the note, not the answer that it is about.
        """
        with self.lock:
            before = [known for known in self.meta.progress if known["labels"] < point["labels"]]
            progress = [*before, point][-PROGRESS:]
            if progress != self.meta.progress:
                with suppress(OSError):
                    self.change(progress=progress)

    def change(self, **changes: Any) -> None:
        """Change settings: on disk first, so that a full disk changes nothing."""
        with self.lock:
            meta = replace(self.meta, **changes)
            store.write_meta(self.folder, meta)
            self.meta = meta

    def _without_copies(self, done: Prepared) -> Prepared:
        """The same without pictures that are here already, byte for byte; each is named, and where it brings the label
        that the one here lacks, the one here gets it."""
        here = {contact.digest: contact for contact in self.contacts.values() if contact.digest}
        fresh, rejected = [], list(done.rejected)
        seen: dict[str, str] = {}
        for row, picture in enumerate(done.pictures):
            upload, twin = picture.upload, here.get(picture.digest)
            if twin is None and picture.digest not in seen:
                seen[picture.digest] = upload.name
                fresh.append(row)
                continue
            known = seen.get(picture.digest) if twin is None else twin.name
            what = f"{upload.name} is here already" + (f", as {known}" if known != upload.name else "")
            if twin is not None and upload.label is not None and twin.label is None:
                self.set_label(twin.id, upload.label)
                what += f", which is now labelled {upload.label}"
            elif twin is not None and upload.label not in (None, twin.label):
                what += f", labelled {twin.label}; it was not labelled {upload.label}"
            rejected.append({"name": upload.name, "error": f"{what}; skipped"})
        readouts = tuple(H[fresh] for H in done.readouts)
        return replace(
            done, pictures=[done.pictures[row] for row in fresh], rejected=rejected, readouts=readouts
        )

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
