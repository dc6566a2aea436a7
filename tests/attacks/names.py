"""Names, labels, presses and titles of every script: refused, or the session goes on and says them back."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from io import BytesIO

import numpy as np

from attacks.tally import Tally
from attacks.worker import judged
from support.studio_in_thread import attacked_home, form, studio
from support.studio_server import picture

# Digits and numbers of other scripts, directions, joiners, halves of pairs, formulas, paths, ends of line.
ODD = "３٣१²Ⅷ𝟗\u202e\u2066\u200b\u200d\ufeff\ud800\udfff\0\x1b\r\n\t\u2028\u0085=+-@'\"/\\.:%<>&;|$`~*?{}[]()０-９"
WORDS = (
    "",
    " ",
    ".",
    "..",
    "CON",
    "nul",
    "-rf",
    "--help",
    "=1+1",
    "press 1",
    "press-00001",
    "labelled",
    "null",
    "NaN",
)
LABEL = "bolt"  # where no other is tried


class RefusedTextError(Exception):
    """The server would not have one of the texts."""


def text(rng: np.random.Generator) -> str:
    """Up to 400 characters, of all of Unicode, of one script, odd ones, or a word."""
    kind = rng.random()
    if kind < 0.1:
        return str(rng.choice(WORDS))
    length = int(rng.choice([1, 2, 3, 10, 99, 100, 101, 400]))
    if kind < 0.5:
        return "".join(map(chr, rng.integers(0, sys.maxunicode + 1, length)))
    if kind < 0.7:
        start = int(rng.integers(0, 0x2FA1F))
        return "".join(map(chr, rng.integers(start, start + 64, length)))
    odd = "".join(str(c) for c in rng.choice(list(ODD), min(length, 8)))
    return odd + str(rng.choice(["", "a", "3", "bolt"])) if rng.random() < 0.5 else "a3" + odd


def answer(case: tuple[str, str, str, str]) -> None:
    """Give a new contact these texts, in a form and in JSON; the session must be usable afterwards."""
    name, label, press, title = case
    server, session = studio(), studio().session
    place, added = f"/v1/sessions/{session}", []
    refused = False
    try:
        body = form([(name, picture("bolt", 3))], labels=label, presses=press)
        status, said = server.ask("POST", f"{place}/contacts", *body)
        refused |= _checked(status, said)
        added = [row["id"] for row in json.loads(said)["added"]] if status == 200 else []
        for contact in added:
            change = json.dumps({"label": label}).encode()
            refused |= _checked(
                *server.ask("PATCH", f"{place}/contacts/{contact}", change, "application/json")
            )
        refused |= _checked(
            *server.ask("PATCH", place, json.dumps({"title": title}).encode(), "application/json")
        )
        _usable(session, label != LABEL)
    finally:
        for contact in added:
            server.ask("DELETE", f"{place}/contacts/{contact}")
    if refused:
        raise RefusedTextError


def _usable(session: str, relabelled: bool) -> None:
    server = studio()
    view = server.json("GET", f"/v1/sessions/{session}", None)
    labels = {row["label"] for row in view["contacts"]} - {None}
    if relabelled:
        assert set(server.json("POST", "/v1/adapt", {"session": session})["classes"]) == labels
    for export in ("predictions.csv", "command.txt") if relabelled else ():
        status, said = server.ask("GET", f"/v1/sessions/{session}/export/{export}")
        assert status == 200, said
    _, said = server.ask("GET", f"/v1/sessions/{session}/export/contacts.zip")
    with zipfile.ZipFile(BytesIO(said)) as archive:
        folders = {path.split("/")[1] for path in archive.namelist() if path.startswith("labelled/")}
    assert folders == labels


def _checked(status: int, said: bytes) -> bool:
    """Whether it was refused; a fault of the server is an error."""
    assert status < 500, f"{status} {said[:200]!r}"
    return status >= 400


def warm_up() -> None:
    """Start the server and use every route once."""
    answer(("a.png", "bolt", "press 1", "left finger"))


def cases(rng: np.random.Generator, tries: int) -> Iterator[tuple[str, str, str, str]]:
    """Name, label, press and title; most cases alter one of them."""
    for _ in range(tries):
        texts = ["a.png", LABEL, "", "left finger"]
        chosen = range(4) if rng.random() < 0.2 else [int(rng.integers(4))]
        for which in chosen:
            texts[which] = text(rng)
        yield texts[0], texts[1], texts[2], texts[3]


def attack(rng: np.random.Generator, tries: int) -> Tally:
    """Send all of them to one session of one server."""
    with attacked_home():
        return judged("names", cases(rng, tries), answer, (RefusedTextError,))
