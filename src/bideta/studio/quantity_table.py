"""The quantities that a session's contacts are known to have: from a table that was given to it, kept beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bideta.datasets.on_disk.target_table import number, quantity_columns, read_rows
from bideta.images.files import write_atomic
from bideta.studio import store
from bideta.studio.refused import RefusedError
from bideta.studio.session import Session
from bideta.studio.session_contacts import Contact

TABLE, SENSOR = "quantities.json", "quantities.bideta"  # in the folder of a session
LEARNED = ("train", "support", "labelled")  # what a column ``split`` calls contacts to learn from
MOST_TARGETS = 64


@dataclass(frozen=True)
class Known:
    """Quantities of some contacts. The sensor learns from ``learned``; the others only check its answers."""

    columns: list[str] = field(default_factory=list)  # "depth_mm", …
    values: dict[str, list[float]] = field(default_factory=dict)  # contact → one number for each column
    presses: dict[str, str] = field(default_factory=dict)  # contact → its press, where the table says so
    learned: list[str] | None = None  # None: the labelled contacts, or all where none is labelled
    periods: dict[str, float] = field(default_factory=dict)  # of angles
    opened: str = ""  # name of the file that the sensor came from; then nothing is learned from the table

    def support(self, session: Session) -> list[Contact]:
        """The contacts to learn from, as they are now."""
        if self.opened:
            return []
        here = [session.contacts[name] for name in self.values if name in session.contacts]
        if self.learned is not None:
            chosen = set(self.learned)
            return [contact for contact in here if contact.id in chosen]
        return [contact for contact in here if contact.label is not None] or here

    def press_keys(self, contacts: Sequence[Contact]) -> list[str]:
        """A text for each contact, equal for frames of one press."""
        return [
            f"table {self.presses[c.id]}"
            if c.id in self.presses
            else f"press {c.label}/{c.press}"
            if c.press is not None
            else f"contact {c.id}"
            for c in contacts
        ]


def read(session: Session) -> Known | None:
    """What is kept; None where nothing is."""
    try:
        return Known(**json.loads((session.folder / TABLE).read_bytes()))
    except FileNotFoundError:
        return None
    except store.DAMAGE as error:
        raise RefusedError(
            409, f"the table of quantities cannot be read any more: {error}. Give it again"
        ) from error


def write(session: Session, known: Known) -> None:
    """Keep it, whole or not at all."""
    write_atomic(session.folder / TABLE, json.dumps(vars(known)).encode())


def parse(content: bytes, name: str, contacts: Sequence[Contact]) -> tuple[Known, list[str]]:
    """The quantities of these contacts in a CSV, and paths of rows that are none of them.

    A path is that of the picture when it was added, or the end of it: ``depth/3.png`` is also ``run 1/depth/3.png``. A
    column ``split`` says which contacts are learned from (``train``, ``support`` or ``labelled``).
    """
    place = Path(name)
    names, rows = read_rows(content, place)
    columns = quantity_columns(names, rows)
    if len(columns) > MOST_TARGETS:
        raise ValueError(f"{name} has {len(columns)} quantities, expected at most {MOST_TARGETS}")
    places = _endings(contacts)
    known, missing, splits = Known(columns), [], {}
    for line, row in rows:
        path = _parts((row["path"] or "").strip())
        found = places.get(path) or places.get(path[-2:]) or places.get(path[-1:])
        if not path or found is None or len(found) > 1:
            missing.append("/".join(path)[:200] or f"line {line}")
            continue
        (contact,) = found
        known.values[contact] = [number(row, column, place, line) for column in columns]
        splits[contact] = (row.get("split") or "").strip().lower()
        if (row.get("press") or "").strip():
            known.presses[contact] = row["press"].strip()[:200]
    if not known.values:
        raise ValueError(
            f"none of the {len(rows)} paths of {name} is a contact of this session (the first: "
            f"{(missing or ['none'])[0][:80]}); add the pictures first, as a folder, so that their paths are known"
        )
    learned = [contact for contact, split in splits.items() if split in LEARNED]
    facts: dict[str, Any] = {**vars(known), "learned": learned or None}
    return Known(**facts), missing


def _endings(contacts: Sequence[Contact]) -> dict[tuple[str, ...], set[str]]:
    """Every end of a contact's path → the contacts that have it."""
    found: dict[tuple[str, ...], set[str]] = {}
    for contact in contacts:
        parts = _parts(contact.name)
        for start in range(len(parts)):
            found.setdefault(parts[start:], set()).add(contact.id)
    return found


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[/\\]", path) if part not in ("", "."))
