"""Don't know: reliability, promised risk, label sets, contacts of no enrolled class, and no contact at all."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.metrics import roc_auc_score

from bideta import Bideta, presets
from bideta.baselines import NotAvailableError
from bideta.datasets.simulated.dataset import SimulatedDataset
from bideta.deploy.trust.hidden_support import hold_out
from bideta.deploy.trust.label_sets import conformal_sets
from bideta.deploy.trust.no_contact import touch
from bideta.deploy.trust.novelty import find_unknown
from bideta.deploy.trust.reliability import reject, reliability
from bideta.deploy.trust.risk_coverage import risk_coverage
from bideta.method import memory
from bideta.method.algorithm import Inference
from bideta.protocol.episode import Episode
from bideta.protocol.experiment import Cell, Experiment, Outcome
from bideta.protocol.experiments._methods import variants_at
from bideta.protocol.experiments._scoring import digest
from bideta.protocol.supply import Supply
from bideta.sim import render
from bideta.sim.calibration import untouched

VARIANTS = ("answers", "unknown", "untouched")
BUDGETS = ("1%", "5%")
RISKS = (0.1, 0.05, 0.02)
COVERAGES = (0.8, 0.9, 0.95)
STRANGERS = 4  # classes that are not enrolled
FALSE_ALARMS = 0.05
SMALL = 64  # contacts of a small batch
SMALL_BATCHES = 8
BACKGROUND = 5  # untouched frames that are given
STILL = 100  # untouched frames that are looked for
BINS = 10  # of the reliability diagram
POINTS = 50  # of a stored curve

Values = dict[str, float]


def answer(cell: Cell, supply: Supply) -> Outcome:
    """The numbers of the question that the variant asks; see the functions below."""
    episode = supply.episode(cell)
    if cell.variant == "answers":
        return answers(episode)
    if cell.variant == "unknown":
        return unknown(episode, np.random.default_rng((cell.seed, zlib.crc32(cell.target.encode()))))
    return still(episode, cell, supply)


def answers(episode: Episode) -> Outcome:
    """All classes enrolled: is the reliability a probability, is a promised risk kept, do the sets hold the truth?"""
    adapted = Bideta(**presets.CLASSIFICATION).fit(episode.support.readouts, episode.support.labels)
    queries, truth = episode.query.readouts, episode.query.labels
    result = adapted.infer(queries)
    hidden = hold_out(adapted, queries, presses=episode.support.presses)
    right = result.proba.argmax(axis=1) == truth
    scores = {
        "reliability": reliability(adapted, result, queries, hidden),
        "probability": result.proba.max(axis=1),
        "lead": lead(result),
    }
    values: Values = {"accuracy": float(right.mean()), "hidden_accuracy": float(hidden.right.mean())}
    arrays: dict[str, list[Any]] = {}
    for name, score in scores.items():
        curve = risk_coverage(score, right)
        values |= {f"aurc {name}": curve.area, f"excess {name}": curve.excess}
        values[f"ece {name}"] = calibration_error(score, right)
        at = np.unique(np.linspace(0, len(curve.risk) - 1, POINTS).astype(int))
        arrays[f"curve {name}"] = np.round([curve.coverage[at], curve.risk[at]], 4).tolist()
        arrays[f"diagram {name}"] = diagram(score, right)
    for risk in RISKS:
        accepted = reject(adapted, result, queries, risk, held=hidden).accepted
        values[f"answered {risk:g}"] = float(accepted.mean())
        values[f"errors {risk:g}"] = float((~right[accepted]).mean()) if accepted.any() else 0.0
    for coverage in COVERAGES:
        sets = conformal_sets(hidden, coverage)
        values[f"covered {coverage:g}"] = float(sets[np.arange(len(truth)), truth].mean())
        values[f"size {coverage:g}"] = float(sets.sum(axis=1).mean())
        values[f"empty {coverage:g}"] = float((~sets.any(axis=1)).mean())
    return Outcome(values, arrays, dict(presets.CLASSIFICATION), digest(result.proba.argmax(axis=1)))


def unknown(episode: Episode, rng: np.random.Generator) -> Outcome:
    """Four classes are not enrolled: are their contacts found, in the whole batch and in batches of 64?"""
    strangers = rng.permutation(episode.n_classes)[:STRANGERS]
    known = ~np.isin(episode.support.labels, strangers)
    support = episode.support[known]
    adapted = Bideta(**presets.CLASSIFICATION).fit(support.readouts, support.labels)
    order = rng.permutation(len(episode.query))
    starts = range(0, min(len(order), SMALL * SMALL_BATCHES), SMALL)
    batches = {"batch": [order], "small": [order[start : start + SMALL] for start in starts]}
    values: Values = {}
    called = []
    for size, parts in batches.items():
        measured = [_strangers(adapted, episode, rows, strangers, support.presses) for rows in parts]
        for name in {name: None for part in measured for name in part[0]}:
            values[f"{name} {size}"] = float(np.mean([part[0][name] for part in measured if name in part[0]]))
        called.append(np.concatenate([part[1] for part in measured]))
    return Outcome(values, {}, {"strangers": strangers.tolist()}, digest(np.concatenate(called)))


def _strangers(
    adapted: Bideta,
    episode: Episode,
    rows: NDArray[np.int64],
    strangers: NDArray[np.int64],
    presses: NDArray[np.int64],
) -> tuple[Values, NDArray[np.bool_]]:
    batch = episode.query[rows]
    result = adapted.infer(batch.readouts)
    hidden = hold_out(adapted, batch.readouts, presses=presses)
    novelty = find_unknown(adapted, result, batch.readouts, FALSE_ALARMS, held=hidden)
    strange = np.isin(batch.labels, strangers)
    scores = {
        "auroc novelty": novelty.score,
        "auroc probability": 1 - result.proba.max(axis=1),
        "auroc energy": -energy(adapted, batch.readouts),
    }
    if not 0 < strange.sum() < len(strange):
        return {}, novelty.unknown  # a batch of one kind says nothing about telling them apart
    values = {name: float(roc_auc_score(strange, score)) for name, score in scores.items()}
    values["false alarms"] = float(novelty.unknown[~strange].mean())
    values["found"] = float(novelty.unknown[strange].mean())
    return values, novelty.unknown


def still(episode: Episode, cell: Cell, supply: Supply) -> Outcome:
    """Frames of the untouched sensor among the queries: found by five known ones, and by what else there is."""
    dataset = supply.dataset(cell.dataset)
    if not isinstance(dataset, SimulatedDataset):
        raise NotAvailableError(f"{cell.dataset} has no frames without contact beyond its calibration image")
    adapted = Bideta(**presets.CLASSIFICATION).fit(episode.support.readouts, episode.support.labels)
    count = BACKGROUND + STILL
    contacts = replace(untouched(count), press=np.arange(count))  # each as bright as a press of its own
    conditions = dataset.level.conditions
    frames = render(contacts, cell.target, size=dataset.size, seed=cell.seed, conditions=conditions)
    empty = supply.encoder(cell.dataset, cell.encoder).encode(frames)
    rows = np.random.default_rng(cell.seed).permutation(len(episode.query))[: 8 * STILL]
    queries = episode.query[rows].readouts
    batch = tuple(np.concatenate([Q, E[BACKGROUND:]]) for Q, E in zip(queries, empty, strict=True))
    nothing = np.arange(len(batch[0])) >= len(rows)
    margin = touch(adapted, batch, tuple(E[:BACKGROUND] for E in empty))
    result = adapted.infer(batch)
    hidden = hold_out(adapted, batch, presses=episode.support.presses)
    strange = find_unknown(adapted, result, batch, held=hidden)
    values = {
        "auroc touch": float(roc_auc_score(nothing, -margin)),
        "auroc novelty": float(roc_auc_score(nothing, strange.score)),
        "auroc probability": float(roc_auc_score(nothing, 1 - result.proba.max(axis=1))),
        "found": float((margin[nothing] < 0).mean()),
        "false alarms": float((margin[~nothing] < 0).mean()),
    }
    return Outcome(values, {}, {}, digest(margin < 0))


def energy(adapted: Bideta, readouts: tuple[NDArray[Any], ...]) -> NDArray[np.float64]:
    """(m,) log-sum-exp of the memory's class scores, mean of the readouts (Liu and others, 2020): low where strange."""
    each = [
        logsumexp(memory.scores(readout.memory, readout.standardizer(H)), axis=1)
        for readout, H in zip(adapted.sensor_.readouts, readouts, strict=True)
    ]
    return np.asarray(np.mean(each, axis=0), np.float64)


def lead(result: Inference) -> NDArray[np.float64]:
    """(m,) lead of the best class times 1 − the readouts' disagreement: a score without any calibration."""
    top = np.partition(result.proba, -2, axis=1)[:, -2:]
    return np.asarray((top[:, 1] - top[:, 0]) * (1 - result.disagreement), np.float64)


def calibration_error(score: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Expected calibration error: mean distance of promised and true shares over ten bins, by their contacts."""
    bins = diagram(score, right)
    return float(sum(abs(promised - true) * count for promised, true, count in bins) / len(right))


def diagram(score: NDArray[np.float64], right: NDArray[np.bool_]) -> list[list[float]]:
    """Mean score, share of right answers and number of contacts of every bin that is not empty."""
    bins = np.minimum((score * BINS).astype(int), BINS - 1)
    return [
        [round(float(score[inside].mean()), 4), round(float(right[inside].mean()), 4), int(inside.sum())]
        for inside in (bins == b for b in range(BINS))
        if inside.any()
    ]


EXPERIMENT = Experiment(
    name="openset",
    roles=("sitr",),
    questions=lambda scope, info: variants_at(VARIANTS, scope.pick_budgets(BUDGETS)),
    answer=answer,
)
