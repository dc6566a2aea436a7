"""Settings chosen without labels of queries, against the paper's preset, on the grid of the label budgets.

The report sets the accuracy beside that of the experiment ``budgets``.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from bideta import presets
from bideta.deploy.tuning.tune import tune
from bideta.protocol.experiment import Cell, Experiment, Outcome
from bideta.protocol.experiments._methods import variants_at
from bideta.protocol.experiments._scoring import classify, score
from bideta.protocol.supply import Supply

PRESET, SUPPORT, QUERIES = "", "tuned on the support", "tuned on support and queries"
VARIANTS = (PRESET, SUPPORT, QUERIES)


def answer(cell: Cell, supply: Supply) -> Outcome:
    """Accuracy, macro-F1, processor seconds of the choice, and what was chosen."""
    episode = supply.episode(cell)
    if cell.variant == PRESET:
        return classify("bideta", presets.CLASSIFICATION, episode)
    support, query = episode.support, episode.query.readouts
    start = time.process_time()
    queries = query if cell.variant == QUERIES else None
    tuned = tune(support.readouts, support.labels, queries=queries, presses=support.presses, seed=cell.seed)
    seconds = time.process_time() - start
    predicted = np.asarray(tuned.fit(support.readouts, support.labels).predict(query), np.int64)
    outcome = score(episode.query.labels, predicted, episode.n_classes, tuned.settings)
    changed = sum(trial.chosen for trial in tuned.scores)
    return replace(outcome, values={**outcome.values, "seconds": seconds, "changed": float(changed)})


EXPERIMENT = Experiment(
    name="tune",
    roles=("sitr", "tacverse"),
    questions=lambda scope, info: variants_at(VARIANTS, scope.pick_budgets(info.budgets)),
    answer=answer,
)
