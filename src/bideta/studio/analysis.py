"""What a session knows: the adapted sensor, its answers, how others compare, what to label next."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import artifact, presets
from bideta.baselines import NotAvailableError
from bideta.deploy.heldout import JOINT, HeldOut, hold_out
from bideta.deploy.reject import reliability
from bideta.deploy.suggest import suggest
from bideta.encoders import Readouts
from bideta.estimator import Bideta
from bideta.method.algorithm import Inference
from bideta.plugins import load_method
from bideta.studio import feature_map, store
from bideta.studio.session import RefusedError, Session
from bideta.studio.session_contacts import Contact, press_numbers

PRESETS = {"robot": presets.ROBOT, "classification": presets.CLASSIFICATION, "ranking": presets.RANKING}
PRIORS = ("auto", "support", "none")
COMPANY = 4096  # queries among which labelled contacts are hidden; as on the command line
SUGGESTED = 6  # contacts to label next that are shown at a time
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Answers:
    """A batch answered jointly."""

    adapted: Bideta
    result: Inference
    reliability: Floats  # (m,)
    seconds: float  # that the inference took

    @property
    def order(self) -> NDArray[np.intp]:
        """(m, C) classes, best first; ties by the anchor, as ``Bideta.rank`` and the command line order them."""
        return np.lexsort((-self.result.anchor, -self.result.proba), axis=1)

    def rows(self) -> list[dict[str, Any]]:
        """Label, probability, reliability and second choice of every contact."""
        names, proba, order = [str(c) for c in self.result.classes], self.result.proba, self.order
        return [
            {
                "label": names[best[0]],
                "probability": float(proba[i, best[0]]),
                "reliability": float(self.reliability[i]),
                "second_choice": names[best[1]] if len(best) > 1 else "",
            }
            for i, best in enumerate(order)
        ]


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


def own_prior(preset: str) -> str:
    """The prior that comes with a preset, as one of ``PRIORS``."""
    prior = PRESETS[preset].get("prior", "support")  # Bideta's own default
    return "none" if prior is None else str(prior)


def stack(contacts: Sequence[Contact]) -> Readouts:
    """Both readouts of some contacts."""
    return np.stack([c.readouts[0] for c in contacts]), np.stack([c.readouts[1] for c in contacts])


def adapt(session: Session, settings: dict[str, Any]) -> Bideta:
    """Fit the session's labelled contacts and keep the result; ``settings`` are those of the encoder."""
    with session.lock:
        support, meta = session.support, session.meta
        if not support:
            raise RefusedError(
                422, "there are no labelled contacts yet; add some, at least one for each class"
            )
        parameters = {**PRESETS[meta.preset], "prior": None if meta.prior == "none" else meta.prior}
        labels = np.array([contact.label for contact in support])
        adapted = Bideta(**parameters).fit(stack(support), labels, press_numbers(support))
        colour = np.zeros(3)
        for contact in support:
            colour += contact.colour
        adapted.origin_ = {
            "bideta": version("bideta"),
            "encoder": meta.encoder,
            "settings": settings,
            "fingerprint": meta.fingerprint,
            "readouts": [len(h) for h in support[0].readouts],
            "support": len(support),
            "colour": (colour / len(support)).tolist(),
        }
        session.keep(adapted)
        return adapted


def answer(session: Session, adapted: Bideta, readouts: Readouts) -> Answers:
    """The answers for a batch."""
    start = time.perf_counter()
    result = adapted.infer(readouts)
    seconds = time.perf_counter() - start
    held = _held_out(session, adapted, readouts)
    return Answers(adapted, result, reliability(adapted, result, readouts, held), seconds)


def _held_out(session: Session, adapted: Bideta, readouts: Readouts) -> HeldOut:
    """The support hidden fold by fold; of small batches only the size matters, so theirs is kept for the next."""
    m = len(readouts[0])
    if m >= JOINT:
        some = np.sort(np.random.default_rng(0).permutation(m)[:COMPANY])
        return hold_out(adapted, tuple(H[some] for H in readouts))
    cache, key = session.cache, f"held out, {m}"
    if key not in cache:
        cache[key] = hold_out(adapted, readouts)
    held: HeldOut = cache[key]
    return held


def need_adapted(session: Session) -> Bideta:
    """The session's adapted sensor."""
    adapted = session.adapted
    if adapted is None:
        raise RefusedError(409, "this session is not adapted yet: add labelled contacts, then POST /v1/adapt")
    return adapted


def outcome(session: Session) -> Outcome:
    """Answers, comparisons and suggestions for the session's queries; kept until something changes."""
    with session.lock:
        if "outcome" not in session.cache:
            session.cache["outcome"] = _outcome(session)
        found: Outcome = session.cache["outcome"]
        return found


def _outcome(session: Session) -> Outcome:
    adapted = need_adapted(session)
    queries, support = session.queries, session.support
    if not queries:
        raise RefusedError(422, "there are no unlabelled contacts to answer; add some")
    views, presses = stack(queries), press_numbers(queries)
    answers = answer(session, adapted, views)
    others, unavailable = _compare(session, adapted, support, views)
    everything = stack([*support, *queries]) if support else views
    return Outcome(
        queries=queries,
        support=support,
        answers=answers,
        spectral=feature_map.spectral(adapted, everything),
        others=others,
        unavailable=unavailable,
        suggestions=suggest(views, min(SUGGESTED, len(set(presses))), adapted, presses).tolist(),
    )


def _compare(
    session: Session, adapted: Bideta, support: list[Contact], views: Readouts
) -> tuple[dict[str, Floats], dict[str, str]]:
    """The same contacts answered by SimpleShot and, where the session has a source sensor, by its head."""
    found: dict[str, Floats] = {}
    missing: dict[str, str] = {}
    labels = [contact.label for contact in support]
    if sorted(set(map(str, labels))) != [str(c) for c in adapted.classes_]:
        reason = "labels changed since the last adaptation"
        return found, {"simpleshot": reason}
    try:
        found["simpleshot"] = load_method("simpleshot").fit(stack(support), labels).predict_proba(views)
    except (ValueError, NotAvailableError) as error:
        missing["simpleshot"] = str(error)
    path = session.folder / store.SOURCE
    if not path.is_file():
        return found, missing
    try:
        head = session.heads.get(tuple(adapted.classes_))
        if head is None:
            header, arrays = artifact.read(path)
            source = ((arrays["h1"], arrays["h2"]), header["labels"])
            head = load_method("frozen").fit(stack(support), labels, source=source)
            session.heads[tuple(adapted.classes_)] = head
        found["frozen"] = head.predict_proba(views)
    except (ValueError, NotAvailableError) as error:
        missing["frozen"] = str(error)
    return found, missing
