"""What a session knows: the adapted sensor, its answers, how others compare, what to label next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.baselines import NotAvailableError
from bideta.classifier import Classifier
from bideta.deploy import suggest
from bideta.encoders import Readouts
from bideta.plugins import load_method
from bideta.service import answers, sensors
from bideta.service.answers import Answers
from bideta.service.choices import parameters
from bideta.studio import feature_map, store
from bideta.studio.refused import RefusedError
from bideta.studio.session import Session
from bideta.studio.session_contacts import Contact, press_numbers, sketches_of

SUGGESTED = 10  # contacts to label next that are named at a time
LIKELY = 9  # objects that are named for each: as many as there are number keys
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """Everything the page shows; rows are the session's queries at one moment."""

    queries: list[Contact]
    support: list[Contact]
    answers: Answers
    spectral: tuple[Floats, ...]  # for each readout, unit rows: support first, then queries
    others: dict[str, Floats]  # method → (m, C)
    unavailable: dict[str, str]  # method → why
    suggestions: list[int]  # rows whose label would help most, best first


def stack(contacts: Sequence[Contact]) -> Readouts:
    """The readouts of some contacts."""
    return tuple(np.stack(rows) for rows in zip(*(contact.readouts for contact in contacts), strict=True))


def adapt(
    session: Session, settings: dict[str, Any], background: NDArray[np.uint8] | None = None
) -> Classifier:
    """Fit the session's labelled contacts and keep the result; settings and background are those of the encoder."""
    with session.lock:
        support, meta = session.support, session.meta
        if not support:
            raise RefusedError(
                422, "there are no labelled contacts yet; add some, at least one for each class"
            )
        readouts, labels = stack(support), np.array([contact.label for contact in support])
        colour = sum((np.array(contact.colour) for contact in support), np.zeros(3)) / len(support)
        origin = sensors.describe_origin(meta.encoder, settings, meta.fingerprint, readouts, colour.tolist())
        method = Classifier(**parameters(meta.preset, meta.prior))
        looks = sketches_of(support)
        adapted = method.fit(
            readouts, labels, press_numbers(support), origin=origin, background=background, sketches=looks
        )
        session.keep(adapted)
        return adapted


def answer(
    session: Session, adapted: Classifier, readouts: Readouts, looks: ArrayLike | None = None
) -> Answers:
    """The answers for a batch; ``looks`` are sketches of its pictures.

    What small batches share (they differ only in size) is kept for the next.
    """
    m = len(readouts[0])
    if answers.joins_batch(m):
        return answers.answer(adapted, readouts, sketches=looks)
    cache, key = session.cache, f"hidden among {m}"
    if key not in cache:
        cache[key] = answers.hide_among(adapted, readouts)
    return answers.answer(adapted, readouts, cache[key], looks)


def need_adapted(session: Session) -> Classifier:
    """The session's adapted sensor."""
    adapted = session.adapted
    if store.SENSOR in session.damaged:
        raise RefusedError(409, f"{session.damaged[store.SENSOR]}. Adapt again: POST /v1/adapt")
    if adapted is None:
        raise RefusedError(409, "this session is not adapted yet: add labelled contacts, then POST /v1/adapt")
    return adapted


def changed_since(session: Session, adapted: Classifier) -> bool:
    """Whether the labelled contacts are others than those that the sensor was adapted from."""
    support, sensor = session.support, adapted.sensor_
    labels = [str(label) for label in sensor.classes[sensor.labels]]
    return (
        [contact.label for contact in support] != labels
        or press_numbers(support) != sensor.presses.tolist()
        or not all(map(np.array_equal, stack(support), sensor.support))
    )


def current(session: Session) -> Classifier:
    """The sensor of the present labels, adapted again where they changed: what is shown and exported is one state."""
    with session.lock:
        adapted = need_adapted(session)
        if not changed_since(session, adapted):
            return adapted
        if not session.support:
            raise RefusedError(
                409, "all labels were taken away since the last adaptation; label some contacts"
            )
        known = adapted.sensor_
        return adapt(session, dict(known.origin["settings"]), known.background)


def outcome(session: Session) -> Outcome:
    """Answers, comparisons and suggestions for the session's queries; kept until something changes."""
    with session.lock:
        if "outcome" not in session.cache:
            made = _outcome(
                session, current(session)
            )  # which may adapt again, and then the cache is a new one
            session.cache["outcome"] = made
            session.note_progress(progress_point(made))
        return session.cache["outcome"]


def progress_point(outcome: Outcome) -> dict[str, Any]:
    """How good the sensor is with its present labels: on new contacts whose truth is known, and on hidden labels."""
    classes, best = outcome.answers.classes, outcome.answers.order[:, 0]
    right = [
        classes[c] == contact.truth
        for c, contact in zip(best, outcome.queries, strict=True)
        if contact.truth is not None
    ]
    hidden = outcome.answers.hidden.right
    return {
        "labels": len(outcome.support),
        "known": len(right),
        "accuracy": float(np.mean(right)) if right else None,
        "hidden": len(hidden),
        "hidden_accuracy": float(hidden.mean()) if len(hidden) else None,
    }


def to_label(session: Session, count: int = SUGGESTED) -> dict[str, Any]:
    """Contacts to label next, best first, each with its most likely objects; also where nothing is labelled yet."""
    with session.lock:
        queries, cold = session.queries, session.adapted is None or not session.support
        if not queries:
            return {"cold": cold, "contacts": []}
        presses = press_numbers(queries)
        if cold:
            several = presses if len(set(presses)) < len(presses) else None
            rows = suggest(stack(queries), min(count, len(set(presses))), None, several).tolist()
            known = sorted({str(contact.label) for contact in session.support})
            likely: list[list[tuple[str, float | None]]] = [[(name, None) for name in known[:LIKELY]]] * len(
                rows
            )
        else:
            made = outcome(session)
            names, proba = made.answers.classes, made.answers.result.proba
            rows = made.suggestions
            if count > len(rows):
                rows = _next(made.answers.adapted, queries, count)
            likely = [
                [(names[c], float(proba[row, c])) for c in made.answers.order[row, :LIKELY]] for row in rows
            ]
        return {
            "cold": cold,
            "contacts": [
                {
                    "id": queries[row].id,
                    "name": queries[row].name,
                    "likely": [{"label": name, "probability": p} for name, p in objects],
                }
                for row, objects in zip(rows, likely, strict=True)
            ],
        }


def _next(adapted: Classifier, queries: list[Contact], count: int) -> list[int]:
    presses = press_numbers(queries)
    rows: list[int] = suggest(stack(queries), min(count, len(set(presses))), adapted, presses).tolist()
    return rows


def _outcome(session: Session, adapted: Classifier) -> Outcome:
    queries, support = session.queries, session.support
    if not queries:
        raise RefusedError(422, "there are no unlabelled contacts to answer; add some")
    readouts = stack(queries)
    others, unavailable = _compare(session, adapted, support, readouts)
    return Outcome(
        queries=queries,
        support=support,
        answers=answer(session, adapted, readouts, sketches_of(queries)),
        spectral=feature_map.spectral(adapted, stack([*support, *queries])),
        others=others,
        unavailable=unavailable,
        suggestions=_next(adapted, queries, SUGGESTED),
    )


def _compare(
    session: Session, adapted: Classifier, support: list[Contact], queries: Readouts
) -> tuple[dict[str, Floats], dict[str, str]]:
    """The same contacts answered by SimpleShot and, where the session has a source sensor, by its head."""
    labels = [contact.label for contact in support]
    if sorted(set(map(str, labels))) != [str(c) for c in adapted.classes_]:
        return {}, {"simpleshot": "labels changed since the last adaptation"}
    readouts = stack(support)

    def simpleshot() -> Any:
        return load_method("simpleshot").fit(readouts, labels)

    def source_head() -> Any:
        classes = tuple(adapted.classes_)
        if classes not in session.heads:
            source = store.read_source(session.folder)
            session.heads[classes] = load_method("frozen").fit(readouts, labels, source=source)
        return session.heads[classes]

    fits = {"simpleshot": simpleshot}
    if (session.folder / store.SOURCE).is_file():
        fits["frozen"] = source_head
    answered: dict[str, Floats] = {}
    missing: dict[str, str] = {}
    for name, fit in fits.items():
        try:
            answered[name] = fit().predict_proba(queries)
        except (ValueError, NotAvailableError) as error:
            missing[name] = str(error)
    return answered, missing
