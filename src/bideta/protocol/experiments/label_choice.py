"""Which contact to label next: accuracy against labels, suggested or drawn at random.

Learning curves on the target's queries; labels come from its first split.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bideta import Bideta, presets
from bideta.deploy.labelling.suggestions import suggest
from bideta.protocol.episode import Contacts
from bideta.protocol.experiment import SEEDS, Cell, Experiment, Outcome
from bideta.protocol.experiments._methods import variants_at
from bideta.protocol.experiments._scoring import digest
from bideta.protocol.supply import Supply

COUNTS = (16, 32, 48, 64, 96, 128, 160, 224, 320)  # labels at which the sensor is adapted and asked
ROUND = 16  # labels before the next suggestion
POOL = 1600  # unlabelled contacts to choose from, another part of the first split in every draw
DRAWS = 10  # unless seeds were named

Rows = NDArray[np.int64]


def adapt(pool: Contacts, rows: Rows) -> Bideta:
    """The sensor after these contacts were labelled. Chosen labels are unbalanced, so the prior is not theirs."""
    chosen = pool[rows]
    return Bideta(**presets.ROBOT).fit(chosen.readouts, chosen.labels.astype(str))


def suggested(pool: Contacts, rng: np.random.Generator) -> Rows:
    """Sixteen at a time: asked again with what is labelled by then. Nothing is drawn."""
    rows = np.zeros(0, np.int64)
    for _ in range(0, min(COUNTS[-1], len(pool)), ROUND):
        rest = np.setdiff1d(np.arange(len(pool)), rows)
        free = pool[rest]
        adapted = adapt(pool, rows) if len(set(pool.labels[rows])) > 1 else None
        wanted = min(ROUND, len(rest))
        rows = np.concatenate([rows, rest[suggest(free.readouts, wanted, adapted)]])
    return rows


def random(pool: Contacts, rng: np.random.Generator) -> Rows:
    """Any contacts."""
    return rng.permutation(len(pool))[: COUNTS[-1]]


def balanced(pool: Contacts, rng: np.random.Generator) -> Rows:
    """Class by class, as the paper draws: only possible where the labels are already known."""
    order = rng.permutation(len(pool))
    turn = np.empty(len(pool), np.int64)  # how many of its class come before
    for label in np.unique(pool.labels):
        same = order[pool.labels[order] == label]
        turn[same] = np.arange(len(same))
    return order[np.argsort(turn[order], kind="stable")][: COUNTS[-1]]


STRATEGIES: dict[str, Callable[[Contacts, np.random.Generator], Rows]] = {
    "suggested": suggested,
    "random": random,
    "random, balanced": balanced,
}


def answer(cell: Cell, supply: Supply) -> Outcome:
    """Accuracy and number of classes seen at every count of labels."""
    info = supply.info(cell.dataset)
    whole, query = (
        supply.contacts(cell.dataset, cell.encoder, cell.target, info.splits[end]) for end in (0, -1)
    )
    rng = np.random.default_rng((cell.seed, zlib.crc32(cell.target.encode())))
    pool = whole[np.sort(rng.permutation(len(whole))[:POOL])]  # the same for every strategy
    rows = STRATEGIES[cell.variant](pool, rng)
    truth = query.labels.astype(str)
    values, answers = {}, []
    for count in (count for count in COUNTS if count <= len(pool)):
        answers.append(adapt(pool, rows[:count]).predict(query.readouts))
        values[f"accuracy {count}"] = float((answers[-1] == truth).mean())
        values[f"classes {count}"] = float(len(set(pool.labels[rows[:count]])))
    return Outcome(values, {}, dict(presets.ROBOT), digest(np.concatenate(answers).astype(np.int64)))


EXPERIMENT = Experiment(
    name="labels",
    roles=("sitr",),
    questions=lambda scope, info: variants_at(STRATEGIES, ("",)),
    answer=answer,
    seeds=lambda scope: range(DRAWS) if scope.seeds == SEEDS else scope.seeds,
)
