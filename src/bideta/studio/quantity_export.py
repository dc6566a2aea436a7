"""Quantities to take home: the sensor, a CSV with values and intervals, and the command line that makes the same."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping

from bideta.service.quantity_answers import columns
from bideta.service.table import csv_text
from bideta.studio import analysis, quantity_results
from bideta.studio.quantity_table import SENSOR
from bideta.studio.refused import RefusedError
from bideta.studio.session import Session
from bideta.studio.session_contacts import Contact, sketches_of

NEW = "unlabelled/"  # where the exported pictures of new contacts lie
TARGETS = "targets.csv"


def artifact(session: Session) -> bytes:
    """The sensor of the present contacts."""
    with session.lock:
        quantity_results.current(session)
        return (session.folder / SENSOR).read_bytes()


def table(session: Session, paths: Mapping[str, Contact]) -> str:
    """CSV of the new contacts as ``bideta predict`` writes it: value, lower, upper per quantity, the original path.

    ``paths`` are those of the exported pictures. Names of columns carry the units.
    """
    with session.lock:
        adapted, _ = quantity_results.current(session)
        new = {path: contact for path, contact in paths.items() if contact.label is None}
        if not new:
            raise RefusedError(422, "there are no new contacts to measure; add some")
        measured = list(new.values())
        result = adapted.infer(analysis.stack(measured), sketches=sketches_of(measured))
    written = {
        "path": [path.removeprefix(NEW) for path in new],
        **columns(result),
        "original": [contact.name for contact in new.values()],
    }
    return csv_text(list(written), zip(*written.values(), strict=True))


def targets(session: Session, paths: Mapping[str, Contact]) -> str:
    """The table of quantities that the sensor learned from; empty where it learned from none of these pictures."""
    with session.lock:
        if not quantity_results.exists(session):
            return ""
        _, known = quantity_results.current(session)
        support = known.support(session)
    if not support:
        return ""
    place = {contact.id: path for path, contact in paths.items()}
    keys = known.press_keys(support)
    rows = [[place[c.id], key, *map(repr, known.values[c.id])] for c, key in zip(support, keys, strict=True)]
    return csv_text(["path", "press", *known.columns], rows)


def commands(session: Session) -> list[str]:
    """The lines that make the same sensor and the same CSV from the exported pictures."""
    if not quantity_results.exists(session):
        return []
    adapted, known = quantity_results.current(session)
    lines = []
    if known.support(session):
        encoder = shlex.quote(session.meta.encoder)
        for name, value in adapted.sensor_.origin["settings"].items():
            text = value if isinstance(value, str) else json.dumps(value)
            encoder += f" --set {shlex.quote(f'{name}={text}')}"
        for name, period in known.periods.items():
            encoder += f" --period {shlex.quote(f'{name}={period!r}')}"
        lines.append(f"bideta adapt contacts --targets contacts/{TARGETS} --out {SENSOR} --encoder {encoder}")
    if session.queries:
        lines.append(f"bideta predict {SENSOR} contacts/unlabelled --out quantities.csv")
    return lines
