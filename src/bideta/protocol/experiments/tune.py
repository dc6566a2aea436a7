"""Settings chosen without labels of queries, against the paper's preset, on the grid of the label budgets."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from bideta import presets
from bideta.deploy.tune import tune
from bideta.protocol.experiments import Cell, Outcome, Scope
from bideta.protocol.experiments._scoring import classified, classify
from bideta.protocol.supply import Bench

PRESET, SUPPORT, QUERIES = "", "tuned on the support", "tuned on support and queries"
VARIANTS = (PRESET, SUPPORT, QUERIES)


@dataclass(frozen=True)
class Tune:
    """Accuracy with tuned settings and the processor seconds of the choice; the report compares with ``budgets``."""

    name: str = "tune"
    title: str = "settings chosen without labels of queries"
    exclusive: bool = False
    roles: tuple[str, ...] = ("sitr", "tacverse")

    def cells(self, scope: Scope) -> list[Cell]:
        """Every dataset, encoder, target, budget, variant and seed."""
        return [
            Cell(self.name, dataset, encoder, target, "bideta", variant, budget, seed)
            for dataset, info in scope.present(*self.roles)
            for encoder in scope.encoders
            for target in scope.pick_targets(info)
            for budget in scope.pick_budgets(info.budgets)
            for variant in VARIANTS
            for seed in scope.seeds
        ]

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """Accuracy, macro-F1, seconds, and what was chosen."""
        data = bench.episode(cell)
        if cell.variant == PRESET:
            return classify("bideta", presets.CLASSIFICATION, data)
        support, query = data.support, data.query.views
        start = time.process_time()
        queries = query if cell.variant == QUERIES else None
        tuned = tune(support.views, support.labels, queries=queries, groups=support.groups, seed=cell.seed)
        seconds = time.process_time() - start
        predicted = np.asarray(tuned.fit(support.views, support.labels).predict(query), np.int64)
        settings = {**tuned.settings, "memory": tuned.memory}
        outcome = classified(data.query.labels, predicted, data.n_classes, settings)
        changed = sum(score.chosen for score in tuned.scores)
        return replace(outcome, values={**outcome.values, "seconds": seconds, "changed": float(changed)})


EXPERIMENT = Tune()
