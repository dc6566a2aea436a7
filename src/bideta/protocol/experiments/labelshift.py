"""Batches as a robot gets them: few classes, one object, bursts, of any size, under every class prior."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import Bideta, presets
from bideta.datasets import DatasetInfo
from bideta.deploy import calibrate, reliability_diagram
from bideta.protocol.episode import Episode
from bideta.protocol.experiment import Cell, Experiment, Outcome, Question, Scope
from bideta.protocol.experiments._methods import method_settings
from bideta.protocol.experiments._scoring import digest, fit
from bideta.protocol.supply import Supply

BATCHES = {1: 100, 4: 50, 16: 25, 64: 10, 256: 4, 3200: 1}  # size → batches of a cell
QUICK_PART = 5  # a quick run draws a fifth of the batches
BURST = 20  # mean contacts of one class before the next class comes, for batches in bursts
PRESENT = 0.25  # share of the classes that are present in "4 of 16"
RELIABILITY = "reliability"  # the variant that asks for calibration
BUDGETS = ("1%",)

Rows = NDArray[np.intp]


def balanced(y: Rows, m: int, rng: np.random.Generator) -> Rows:
    """A random part of the test split, which has every class alike."""
    return rng.choice(len(y), min(m, len(y)), replace=False)


def dirichlet(concentration: float) -> Callable[[Rows, int, np.random.Generator], Rows]:
    """Class frequencies drawn from a symmetric Dirichlet distribution, anew for every batch."""

    def draw(y: Rows, m: int, rng: np.random.Generator) -> Rows:
        return follow(y, rng.dirichlet(np.full(int(y.max()) + 1, concentration)), m, rng)

    return draw


def few(y: Rows, m: int, rng: np.random.Generator) -> Rows:
    """A quarter of the classes, alike."""
    C = int(y.max()) + 1
    chosen = rng.choice(C, max(1, round(PRESENT * C)), replace=False)
    return follow(y, np.bincount(chosen, minlength=C) / len(chosen), m, rng)


def one(y: Rows, m: int, rng: np.random.Generator) -> Rows:
    """A single class."""
    C = int(y.max()) + 1
    return follow(y, np.eye(C)[rng.integers(C)], m, rng)


def bursts(y: Rows, m: int, rng: np.random.Generator) -> Rows:
    """Class after class, each for a while; until all contacts are used."""
    left = {c: list(rng.permutation(np.flatnonzero(y == c))) for c in np.unique(y).tolist()}
    rows: list[int] = []
    last = -1
    while len(rows) < m and any(left[c] for c in left if c != last):
        last = int(rng.choice([c for c in left if c != last and left[c]]))
        length = int(rng.geometric(1 / BURST))
        rows += left[last][:length]
        del left[last][:length]
    return np.array(rows[:m], np.intp)


def follow(y: Rows, frequencies: NDArray[np.float64], m: int, rng: np.random.Generator) -> Rows:
    """m contacts with these class frequencies, none twice; fewer where a class would run out."""
    pools = [rng.permutation(np.flatnonzero(y == c)) for c in range(len(frequencies))]
    sizes = np.array([len(pool) for pool in pools])
    present = frequencies > 0
    m = max(1, min(m, int((sizes[present] / frequencies[present]).min())))
    counts = np.minimum(rng.multinomial(m, frequencies), sizes)
    return rng.permutation(np.concatenate([pool[:k] for pool, k in zip(pools, counts, strict=True)]))


SCENARIOS: dict[str, Callable[[Rows, int, np.random.Generator], Rows]] = {
    "balanced": balanced,
    "Dirichlet 1": dirichlet(1.0),
    "Dirichlet 0.5": dirichlet(0.5),
    "Dirichlet 0.1": dirichlet(0.1),
    "4 of 16": few,
    "one class": one,
    "bursts": bursts,
}

# Name → settings of BIDETA. The last of them is the preset itself.
PRIORS: dict[str, dict[str, Any]] = {
    "anchor": {**presets.ROBOT, "prior": "support", "n_iter": 0},
    "paper": presets.CLASSIFICATION,
    "paper, no prior": {**presets.CLASSIFICATION, "prior": None},
    "support": {**presets.ROBOT, "prior": "support"},
    "none": {**presets.ROBOT, "prior": None},
    "mixed": {**presets.ROBOT, "prior": "mixed"},
    "auto": presets.ROBOT,
}
RIVALS = ("em-lda", "paddle")


def variant(scenario: str, prior: str = "") -> str:
    """What a record calls batches of a scenario, answered under a class prior; a rival has none."""
    return f"{scenario} | {prior}" if prior else scenario


# Variant of a record → scenario and prior.
VARIANTS = {variant(scenario, prior): (scenario, prior) for scenario in SCENARIOS for prior in ("", *PRIORS)}


def questions(scope: Scope, info: DatasetInfo) -> list[Question]:
    """Every scenario under every prior, then the rivals, then the reliability diagrams."""
    asked = [("bideta", variant(scenario, prior)) for scenario in SCENARIOS for prior in PRIORS]
    asked += [(rival, variant(scenario)) for scenario in SCENARIOS for rival in RIVALS]
    asked.append(("bideta", RELIABILITY))
    wanted = scope.pick_methods(("bideta", *RIVALS))
    return [
        (method, name, budget)
        for budget in scope.pick_budgets(BUDGETS)
        for method, name in asked
        if method in wanted
    ]


def answer(cell: Cell, supply: Supply) -> Outcome:
    """Accuracy for every batch size, or the reliability diagrams."""
    episode = supply.episode(cell)
    if cell.variant == RELIABILITY:
        return calibration(episode, cell.seed)
    scenario, prior = VARIANTS[cell.variant]
    settings = PRIORS[prior] if prior else method_settings(cell.method, "classification", cell.seed)
    adapted = fit(cell.method, settings, episode)
    values: dict[str, float] = {}
    given = []
    for m, batches in BATCHES.items():
        # The same batches whatever the prior: differences are paired.
        rng = np.random.default_rng((cell.seed, zlib.crc32(f"{cell.target}/{scenario}".encode()), m))
        right: list[NDArray[np.bool_]] = []
        for _ in range(max(1, batches // QUICK_PART) if supply.quick else batches):
            batch = episode.query[SCENARIOS[scenario](episode.query.labels, m, rng)]
            predicted = np.asarray(adapted.predict(batch.readouts), np.int64)
            given.append(predicted)
            right.append(predicted == batch.labels)
        values[f"accuracy@{m}"] = float(np.concatenate(right).mean())
        values[f"contacts@{m}"] = float(np.mean([len(part) for part in right]))
    values["accuracy"] = float(np.mean([values[f"accuracy@{m}"] for m in BATCHES]))
    return Outcome(values, settings=dict(settings), digest=digest(np.concatenate(given)))


def calibration(episode: Episode, seed: int) -> Outcome:
    """Expected calibration error and reliability diagrams of anchor and joint answer on the balanced test split."""
    support, query = episode.support, episode.query
    adapted = Bideta(**presets.ROBOT).fit(support.readouts, support.labels)
    chosen = calibrate(adapted, seed=seed)
    result = adapted.infer(query.readouts)
    anchor = Bideta(**PRIORS["anchor"]).fit(support.readouts, support.labels).infer(query.readouts)
    distributions = {
        "anchor": anchor.anchor,
        "anchor calibrated": chosen.of_anchor(anchor),
        "joint": result.proba,
        "joint calibrated": chosen.of_joint(result),
    }
    values, arrays = {"temperature anchor": chosen.anchor, "temperature joint": chosen.joint}, {}
    for name, P in distributions.items():
        diagram = reliability_diagram(P, query.labels)
        values[f"ece {name}"] = diagram.error
        accuracy = np.nan_to_num(diagram.accuracy)
        arrays[name] = [part.tolist() for part in (diagram.confidence, accuracy, diagram.count)]
    return Outcome(values, arrays, dict(presets.ROBOT), digest(result.proba.argmax(axis=1)))


EXPERIMENT = Experiment(name="labelshift", roles=("sitr",), questions=questions, answer=answer)
