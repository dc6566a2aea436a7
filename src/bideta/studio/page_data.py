"""An outcome as plain data for the page: rows, comparisons, map, gains, and one contact explained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.deploy import pool_presses
from bideta.studio import feature_map
from bideta.studio.analysis import Outcome
from bideta.studio.session_contacts import Contact, press_numbers

TITLES = {
    "press": "BIDETA, one answer per press",
    "bideta": "BIDETA",
    "anchor": "Memory alone",
    "simpleshot": "SimpleShot",
    "frozen": "Source head",
}
NEIGHBOURS = 6
LABELLED = 3  # nearest labelled contacts shown


def results(outcome: Outcome) -> dict[str, Any]:
    """What the page needs to draw everything but the single contact."""
    answers, n = outcome.answers, len(outcome.support)
    places = feature_map.flat_map(outcome.spectral)
    rows = [
        {"id": contact.id, "name": contact.name, "truth": contact.truth, "place": place, **row}
        for contact, row, place in zip(outcome.queries, answers.rows(), places[n:].tolist(), strict=True)
    ]
    return {
        "classes": answers.classes,
        "seconds": answers.seconds,
        "check": answers.check.facts(),
        "joint": bool(answers.result.gate.any()),
        "rows": rows,
        "support": [
            {"id": c.id, "name": c.name, "label": c.label, "place": place}
            for c, place in zip(outcome.support, places[:n].tolist(), strict=True)
        ],
        "methods": methods(outcome),
        "unavailable": {TITLES[name]: reason for name, reason in outcome.unavailable.items()},
        "gains": feature_map.gains(answers.adapted),
        "gamma": answers.adapted.gamma,
        "suggestions": [outcome.queries[row].id for row in outcome.suggestions],
    }


def methods(outcome: Outcome) -> list[dict[str, Any]]:
    """Every method's accuracy and confusion where true labels are known, and how often it agrees with ours."""
    result = outcome.answers.result
    classes = outcome.answers.classes
    ours = outcome.answers.order[:, 0]
    chosen = {"bideta": ours, "anchor": result.anchor.argmax(axis=1)}
    chosen.update({name: P.argmax(axis=1) for name, P in outcome.others.items()})
    by_press = press_answers(outcome)
    if by_press is not None:
        chosen["press"] = by_press
    truths = [contact.truth for contact in outcome.queries]
    return [
        {
            "name": name,
            "title": TITLES[name],
            "agreement": float((best == ours).mean()),
            "answers": best.tolist(),  # class of each row
            **score([classes[c] for c in best], truths, classes),
        }
        for name, best in chosen.items()
    ]


def press_answers(outcome: Outcome) -> NDArray[np.intp] | None:
    """(m,) answer of the press that each query is a frame of; None where no press has two frames."""
    presses = np.array(press_numbers(outcome.queries))
    if len(np.unique(presses)) == len(presses):
        return None
    _, pooled = pool_presses(outcome.answers.result.proba, presses)
    best: NDArray[np.intp] = pooled.argmax(axis=1)[presses]  # presses are numbered as they come, as pooled
    return best


def score(predicted: Sequence[str], truths: Sequence[str | None], classes: Sequence[str]) -> dict[str, Any]:
    """Accuracy and confusion counts over the contacts whose truth is known; None where there are none.

    Rows are true classes: those of the support, then others that cannot be right.
    """
    pairs = [(truth, guess) for truth, guess in zip(truths, predicted, strict=True) if truth is not None]
    if not pairs:
        return {"known": 0, "accuracy": None, "confusion": None, "true_classes": []}
    names = [*classes, *sorted({truth for truth, _ in pairs} - set(classes))]
    counts = np.zeros((len(names), len(classes)), int)
    for truth, guess in pairs:
        counts[names.index(truth), classes.index(guess)] += 1
    right = sum(truth == guess for truth, guess in pairs)
    return {
        "known": len(pairs),
        "accuracy": right / len(pairs),
        "confusion": counts.tolist(),
        "true_classes": names,
    }


def explain(outcome: Outcome, contact: Contact) -> dict[str, Any]:
    """Why a query got its label: what each readout says, anchor, gate, final distribution, and its neighbours."""
    row = outcome.queries.index(contact)
    answers, n = outcome.answers, len(outcome.support)
    result, everyone = answers.result, [*outcome.support, *outcome.queries]
    support, queries = np.arange(n), np.arange(n, len(everyone))
    weights = result.graph[[row]].tocoo()
    by_press = press_answers(outcome)
    shared = sorted(zip(weights.col.tolist(), weights.data.tolist(), strict=True), key=lambda pair: -pair[1])

    def nearest(candidates: NDArray[np.intp], count: int) -> list[list[dict[str, Any]]]:
        """For each readout."""
        return [
            [
                _neighbour(everyone[i], cosine)
                for i, cosine in feature_map.nearest(Q, n + row, candidates, count)
            ]
            for Q in outcome.spectral
        ]

    return {
        "id": contact.id,
        "name": contact.name,
        "truth": contact.truth,
        **answers.rows()[row],
        "classes": answers.classes,
        "views": [P[row].tolist() for P in result.views],
        "anchor": result.anchor[row].tolist(),
        "final": result.proba[row].tolist(),
        "gate": float(result.gate[row]),
        "r_min": answers.adapted.r_min,
        "r_max": answers.adapted.r_max,
        "ambiguity": float(result.ambiguity[row]),
        "disagreement": float(result.disagreement[row]),
        "joint": bool(result.gate.any()),
        "press": None if by_press is None else answers.classes[by_press[row]],
        "neighbours": nearest(queries, NEIGHBOURS),
        "labelled": nearest(support, LABELLED),
        "shared": [_neighbour(outcome.queries[i], weight) for i, weight in shared[:NEIGHBOURS]],
    }


def _neighbour(contact: Contact, value: float) -> dict[str, Any]:
    facts = ("id", "name", "label", "truth")
    return {**{fact: getattr(contact, fact) for fact in facts}, "value": value}
