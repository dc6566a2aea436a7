"""What a user takes home: the artifact, a CSV, all pictures, and the command line that does the same."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

from bideta.images.background import FOLDER
from bideta.images.png import png
from bideta.service.table import csv_text
from bideta.service.to_label import Doubtful
from bideta.studio import analysis, quantity_export, store
from bideta.studio.analysis import Outcome
from bideta.studio.refused import RefusedError
from bideta.studio.session import Session
from bideta.studio.session_contacts import Contact, press_numbers

DOUBTFUL = 100  # contacts for a labelling tool, best first
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run a cell that begins like this


def table(outcome: Outcome) -> str:
    """CSV of all answers, with the columns of ``bideta predict``; paths are those of the exported pictures.

    ``original`` is what the picture was called when it came, with its folders.
    """
    columns = {
        "path": [file_name(i, contact) for i, contact in enumerate(outcome.queries, 1)],
        **{name: list(map(harmless, texts)) for name, texts in outcome.answers.columns().items()},
        "original": [harmless(contact.name) for contact in outcome.queries],
    }
    return csv_text(list(columns), zip(*columns.values(), strict=True))


def doubtful(session: Session) -> list[Doubtful]:
    """What to label next, for a labelling tool; pictures are those of the exported ZIP."""
    with session.lock:
        asked = analysis.to_label(session, DOUBTFUL)["contacts"]
        place = {contact.id: path for path, contact in paths(session).items()}
    found = []
    for contact in asked:
        guesses = [
            one for one in contact["likely"] if one["probability"] is not None
        ]  # none before any label
        guess, sure = (guesses[0]["label"], guesses[0]["probability"]) if guesses else ("", 0.0)
        found.append(Doubtful(place[contact["id"]], guess, 1 - sure, "suggested by the studio"))
    return found


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def paths(session: Session) -> dict[str, Contact]:
    """Path of every contact: ``labelled/<class>/…`` and ``unlabelled/…``, in the session's order.

    Frames of one press lie in a folder of the class folder, whose name ``bideta adapt`` understands.
    """
    found = {}
    with session.lock:
        support, queries = session.support, session.queries
    for i, (contact, press) in enumerate(zip(support, press_numbers(support), strict=True), 1):
        home = PurePosixPath("labelled", str(contact.label))
        path = (home if contact.press is None else home / f"press-{press + 1:05d}") / file_name(i, contact)
        found[str(path)] = contact
    for i, contact in enumerate(queries, 1):
        found[f"unlabelled/{file_name(i, contact)}"] = contact
    return found


def files(session: Session) -> Iterator[tuple[str, bytes]]:
    """Path and content of all that is exported in one ZIP; pictures that cannot be read any more are named in it."""
    readme, lost = command(session), []
    background = None if session.adapted is None else session.adapted.sensor_.background
    places = paths(session)
    known = quantity_export.targets(session, places)
    for path, contact in places.items():
        try:
            yield path, store.read_picture(session.folder, contact, "image")
        except RefusedError as error:
            lost.append(f"{path}: {error}")
    if background is not None:  # where ``bideta adapt`` finds it
        yield f"labelled/{FOLDER}/{FOLDER}.png", png(background)
    if known:
        yield quantity_export.TARGETS, known.encode()
    if lost:
        yield "LOST.txt", "\n".join(lost).encode()
    yield "README.txt", readme.encode()


def command(session: Session) -> str:
    """The command line that makes the same artifact and the same CSV from the exported pictures."""
    meta, adapted = session.meta, session.adapted
    encoder = shlex.quote(meta.encoder)
    for name, value in (adapted.sensor_.origin["settings"] if adapted else {}).items():
        encoder += f" --set {shlex.quote(f'{name}={value if isinstance(value, str) else json.dumps(value)}')}"
    lines = ["unzip contacts.zip -d contacts"]
    measuring = quantity_export.commands(session)
    if session.support or not measuring:
        lines.append(
            f"bideta adapt contacts/labelled --out sensor.bideta --encoder {encoder} "
            f"--preset {meta.preset} --prior {meta.prior}"
        )
        if session.queries:
            lines.append("bideta predict sensor.bideta contacts/unlabelled --out predictions.csv")
    return "\n".join([*lines, *measuring]) + "\n"


def file_name(number: int, contact: Contact) -> str:
    """A harmless name that sorts in the session's order: a number, then what is left of the user's name."""
    base = re.split(r"[/\\]", contact.name)[-1]
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", re.sub(r"\.[A-Za-z0-9]{1,5}$", "", base)).strip("-")[:60]
    return f"{number:05d}{'-' + stem if stem else ''}{contact.suffix}"
