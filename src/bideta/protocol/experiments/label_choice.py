"""Which contact to label next: accuracy against labels, suggested or drawn at random."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bideta import Bideta, presets
from bideta.deploy.suggest import suggest
from bideta.protocol.experiments import SEEDS, Cell, Outcome, Scope
from bideta.protocol.experiments._scoring import digest
from bideta.protocol.supply import Bench, Contacts

COUNTS = (16, 32, 48, 64, 96, 128, 160, 224, 320)  # labels at which the sensor is adapted and asked
ROUND = 16  # labels before the next suggestion
POOL = 1600  # unlabelled contacts to choose from, another part of the first split in every draw
DRAWS = 10

Rows = NDArray[np.int64]


def adapt(pool: Contacts, rows: Rows) -> Bideta:
    """The sensor after these contacts were labelled. Chosen labels are unbalanced, so the prior is not theirs."""
    chosen = pool[rows]
    return Bideta(**presets.ROBOT).fit(chosen.views, chosen.labels.astype(str))


def suggested(pool: Contacts, rng: np.random.Generator) -> Rows:
    """Sixteen at a time: asked again with what is labelled by then. Nothing is drawn."""
    rows = np.zeros(0, np.int64)
    for _ in range(0, min(COUNTS[-1], len(pool)), ROUND):
        rest = np.setdiff1d(np.arange(len(pool)), rows)
        free = pool[rest]
        adapted = adapt(pool, rows) if len(set(pool.labels[rows])) > 1 else None
        wanted = min(ROUND, len(rest))
        rows = np.concatenate([rows, rest[suggest(free.views, wanted, adapted)]])
    return rows


def random(pool: Contacts, rng: np.random.Generator) -> Rows:
    """Any contacts."""
    return rng.permutation(len(pool))[: COUNTS[-1]]


def balanced(pool: Contacts, rng: np.random.Generator) -> Rows:
    """Class by class, as the paper draws: only possible for whoever knows the labels already."""
    order = rng.permutation(len(pool))
    turn = np.empty(len(pool), np.int64)  # how many of its class come before
    for label in np.unique(pool.labels):
        own = order[pool.labels[order] == label]
        turn[own] = np.arange(len(own))
    return order[np.argsort(turn[order], kind="stable")][: COUNTS[-1]]


STRATEGIES: dict[str, Callable[[Contacts, np.random.Generator], Rows]] = {
    "suggested": suggested,
    "random": random,
    "random, balanced": balanced,
}


@dataclass(frozen=True)
class Labels:
    """Learning curves on the target's queries; labels come from its first split."""

    name: str = "labels"
    title: str = "accuracy against the number of labels, suggested or drawn at random"
    exclusive: bool = False
    roles: tuple[str, ...] = ("sitr",)

    def cells(self, scope: Scope) -> list[Cell]:
        """Every target, way of choosing and draw; ten draws unless seeds were named."""
        draws = tuple(range(DRAWS)) if scope.seeds == SEEDS else scope.seeds
        return [
            Cell(self.name, dataset, encoder, target, "bideta", strategy, seed=draw)
            for dataset, info in scope.present(*self.roles)
            for encoder in scope.encoders
            for target in scope.pick_targets(info)
            for strategy in STRATEGIES
            for draw in draws
        ]

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """Accuracy and number of classes seen at every count of labels."""
        info = bench.info(cell.dataset)
        whole, query = (
            bench.contacts(cell.dataset, cell.encoder, cell.target, info.splits[end]) for end in (0, -1)
        )
        rng = np.random.default_rng((cell.seed, zlib.crc32(cell.target.encode())))
        pool = whole[np.sort(rng.permutation(len(whole))[:POOL])]  # the same for every strategy
        rows = STRATEGIES[cell.variant](pool, rng)
        truth = query.labels.astype(str)
        values, answers = {}, []
        for count in (count for count in COUNTS if count <= len(pool)):
            answers.append(adapt(pool, rows[:count]).predict(query.views))
            values[f"accuracy {count}"] = float((answers[-1] == truth).mean())
            values[f"classes {count}"] = float(len(set(pool.labels[rows[:count]])))
        return Outcome(values, {}, dict(presets.ROBOT), digest(np.concatenate(answers).astype(np.int64)))


EXPERIMENT = Labels()
