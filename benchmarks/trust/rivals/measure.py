"""One draw of one set: every rival of every promise, numbers by press."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score, roc_curve

from benchmarks.trust.rivals import calibration, label_sets, labelling
from benchmarks.trust.rivals import novelty as scores
from benchmarks.trust.rivals.beds import Bed, draw_labelled
from bideta import Bideta, presets
from bideta.deploy import calibrate, find_unknown, hold_out, pool_presses, reliability, risk_coverage
from bideta.deploy.trust.evidence import strangeness
from bideta.deploy.trust.label_sets import possibility
from bideta.deploy.trust.novelty import _score
from bideta.extensions.presses import press_numbers

LABELS = (2, 5, 20)  # per class
STRANGERS = 0.25  # share of the classes that nobody enrolled
FALSE_ALARMS = 0.05
CLUES = {"all four clues": [0, 1, 2, 3], "doubt, nearest, crowd": [0, 1, 3]}
COVERAGE = 0.9
ROUNDS = (1, 2, 3, 4, 6, 8)  # labels per class on average at which the sensor is asked
# The preset's prior decides by itself whether a batch follows the labels, and with one label per class it may err: a
# second column holds every batch to the labels' frequencies.
PRIORS: dict[str, dict[str, Any]] = {"touch": {}, "support": {"prior": "support"}}
POOL = 1000  # unlabelled contacts to choose from, another part of the pool in every draw

Array = NDArray[np.float64]
Numbers = dict[str, dict[str, float]]  # rival → measure → number


def by_press(values: Array, presses: NDArray[Any]) -> Array:
    """Mean over the frames of every press, presses in the order of their first frames."""
    number = press_numbers(presses, len(values))
    first = np.unique(number, return_index=True)[1]
    return (np.bincount(number, values) / np.bincount(number))[np.argsort(first)]


def novelty(bed: Bed, per_class: int) -> Numbers:
    """A quarter of the classes is not enrolled: are their presses found?"""
    rng = bed.rng("novelty")
    strangers = rng.permutation(bed.n_classes)[: max(1, round(STRANGERS * bed.n_classes))]
    support = bed.pool[draw_labelled(bed.pool, per_class, rng)]
    support = support[~np.isin(support.labels, strangers)]
    adapted = Bideta(**presets.TOUCH).fit(support.readouts, support.labels, support.presses)
    X, presses = bed.queries.readouts, bed.queries.presses
    result, held = adapted.infer(X), hold_out(adapted, X)
    ours = find_unknown(adapted, result, X, FALSE_ALARMS, held=held)
    labelled, asked = (scores.seen(adapted.sensor_, H) for H in (adapted.sensor_.support, X))
    found = {"best probability": scores.best_probability(result)}
    found |= {
        name: detect(labelled, adapted.sensor_.labels, asked) for name, detect in scores.DETECTORS.items()
    }
    found["ours"] = ours.score
    clues = strangeness(adapted.sensor_, result, X)
    reference = held.strangeness if len(held) else clues
    for name, columns in CLUES.items():
        found[name] = _score(clues[:, columns], reference[:, columns])
    strange = by_press(np.isin(bed.queries.labels, strangers).astype(float), presses) > 0.5
    numbers: Numbers = {}
    for name, score in found.items():
        pooled = by_press(score, presses)
        alarms, hits, _ = roc_curve(strange, pooled)
        at = float(hits[alarms <= FALSE_ALARMS].max())
        numbers[name] = {"auroc": float(roc_auc_score(strange, pooled)), "found": at}
    called = by_press(ours.score, presses) > ours.threshold
    numbers["ours"] |= {
        "kept alarms": float(called[~strange].mean()),
        "kept found": float(called[strange].mean()),
    }
    return numbers


def promises(bed: Bed, per_class: int) -> dict[str, Any]:
    """Label sets and sureness of the same answers: {"sets": …, "calibration": …}."""
    rng = bed.rng("promises")
    support = bed.pool[draw_labelled(bed.pool, per_class, rng)]
    adapted = Bideta(**presets.TOUCH).fit(support.readouts, support.labels, support.presses)
    X, truth, presses = bed.queries.readouts, bed.queries.labels, bed.queries.presses
    result, held = adapted.infer(X), hold_out(adapted, X)
    if not len(held):
        raise ValueError(f"{bed.name}: no hidden contacts with {per_class} labels per class")
    first, P = pool_presses(result.proba, presses)
    right = P.argmax(axis=1) == truth[first]
    hidden = held.proba.max(axis=1)
    sure = {
        "best probability": result.proba.max(axis=1),
        "temperature": calibrate(adapted).of_joint(result).max(axis=1),
    }
    sure |= {
        name: fit(hidden, held.right, sure["best probability"]) for name, fit in calibration.MAPS.items()
    }
    sure["ours"] = reliability(adapted, result, X, held)
    calibrated = {name: _sureness(by_press(values, presses), right) for name, values in sure.items()}

    half = label_sets.half_by_press(adapted, X, rng)
    frames = {
        "split": label_sets.split(*half),
        "split, APS": label_sets.split(*half, label_sets.aps),
        "split, by class": label_sets.split_by_class(*half),
        "cross": label_sets.crossed()(held),
        "cross, APS": label_sets.crossed(label_sets.aps)(held),
        "cross, groups of classes": label_sets.crossed(group=label_sets.alike_classes)(held),
        "cross, by class": label_sets.crossed(group=label_sets.each_class)(held),
        "cross, class among all": label_sets.class_among_all(held),
        "ours": possibility(held),
    }
    sets = {name: _sets(p > 1 - COVERAGE, truth, presses, bed.n_classes) for name, p in frames.items()}
    one = label_sets.pooled(held, presses)
    for name, group in (
        ("cross, press by press", None),
        ("cross, press by press, by class", label_sets.each_class),
    ):
        p = label_sets.crossed(group=group)(one)
        sets[name] = _sets(p > 1 - COVERAGE, truth[first], presses[first], bed.n_classes)
    return {"sets": sets, "calibration": calibrated}


def _sureness(sure: Array, right: NDArray[np.bool_]) -> dict[str, float]:
    return {
        "error": calibration.calibration_error(sure, right),
        "brier": calibration.brier(sure, right),
        "aurc": risk_coverage(sure, right).area,
        "right": float(right.mean()),
    }


def _sets(
    possible: NDArray[np.bool_], truth: NDArray[np.int64], presses: NDArray[np.int64], C: int
) -> dict[str, Any]:
    """Share of presses whose sets hold the truth, mean share of classes in a set; of every class (presses, held)."""
    holds = by_press(possible[np.arange(len(truth)), truth].astype(float), presses)
    kind = by_press(truth.astype(float), presses).astype(int)
    classes = np.stack([np.bincount(kind, minlength=C), np.bincount(kind, holds, C)], axis=1)
    size = by_press(possible.sum(axis=1).astype(float), presses)
    return {
        "held": float(holds.mean()),
        "share": float(size.mean() / C),
        "classes": classes.tolist(),
    }


def together(draws: list[Any]) -> Any:
    """Means over draws, rounded; of label sets also the coverage of the least covered classes, counted together."""
    if not isinstance(draws[0], dict):
        return round(float(np.mean(draws)), 4)
    names = [name for name in draws[0] if all(name in draw for draw in draws)]
    joined = {name: together([draw[name] for draw in draws]) for name in names if name != "classes"}
    if "classes" in names:
        asked, held = np.sum([draw["classes"] for draw in draws], axis=0).T
        shares = np.sort(held[asked > 0] / asked[asked > 0])
        joined["least"] = round(float(shares[: max(1, len(shares) // 4)].mean()), 4)
    return joined


def labels(bed: Bed) -> Numbers:
    """Accuracy by press after some rounds of labels, each rival from the same pool."""
    rng = bed.rng("labels")
    unique = np.unique(bed.pool.presses)
    kept = rng.permutation(unique)[: max(1, round(0.7 * len(unique)))]
    rows = np.flatnonzero(np.isin(bed.pool.presses, kept))
    if len(rows) > POOL:
        rows = np.sort(rng.permutation(rows)[:POOL])
    pool = bed.pool[rows]
    C, most = bed.n_classes, len(np.unique(pool.presses))
    counts = [C * number for number in ROUNDS if C * number <= most]
    X, presses = bed.queries.readouts, bed.queries.presses
    numbers: Numbers = {}
    for name, strategy in labelling.STRATEGIES.items():
        chosen = strategy(pool, counts[-1], C, np.random.default_rng((bed.seed, 1)))
        numbers[name] = {}
        for number, count in zip(ROUNDS, counts, strict=False):
            for prior, changed in PRIORS.items():
                adapted = labelling.adapt(pool, chosen[:count], **changed)
                first, P = pool_presses(adapted.predict_proba(X), presses)
                told = np.asarray(adapted.classes_)[P.argmax(axis=1)].astype(int)
                numbers[name][f"{prior} {number}"] = float((told == bed.queries.labels[first]).mean())
            numbers[name][f"classes {number}"] = float(len(adapted.classes_) / C)
    return numbers
