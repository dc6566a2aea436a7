"""One, two and five shots: what unlabelled queries tell about the spread inside a class."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bideta import Bideta, presets
from bideta.deploy.fewshot import borrow
from bideta.protocol.experiments import Cell, Outcome, Scope
from bideta.protocol.experiments._scoring import classified, classify, method_settings
from bideta.protocol.supply import Bench

# Variant of BIDETA → preset, and whether it borrows from the queries.
VARIANTS: dict[str, tuple[dict[str, Any], bool]] = {
    "": (presets.CLASSIFICATION, False),
    "borrowed": (presets.CLASSIFICATION, True),
    "robot": (presets.ROBOT, False),
    "robot, borrowed": (presets.ROBOT, True),
}
RIVALS = ("simpleshot", "logistic", "lda", "em-lda")


@dataclass(frozen=True)
class FewShot:
    """Accuracy where labels are fewest, with and without what the queries lend."""

    name: str = "fewshot"
    title: str = "one, two and five labelled contacts per class, with what unlabelled queries lend"
    exclusive: bool = False
    roles: tuple[str, ...] = ("sitr", "tacverse")
    budgets: tuple[str, ...] = ("1-shot", "2-shot", "5-shot")

    def cells(self, scope: Scope) -> list[Cell]:
        """Every dataset, encoder, target, number of shots, method, variant and seed."""
        return [
            Cell(self.name, dataset, encoder, target, method, variant, budget, seed)
            for dataset, info in scope.present(*self.roles)
            for encoder in scope.encoders
            for target in scope.pick_targets(info)
            for budget in scope.pick_budgets((*self.budgets, next(iter(info.budgets))))
            for method in scope.pick_methods((*RIVALS, "bideta"))
            for variant in (VARIANTS if method == "bideta" else ("",))
            for seed in scope.seeds
        ]

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """Accuracy, macro-F1 and, for BIDETA, the processor seconds of adapting."""
        data = bench.episode(cell)
        if cell.method != "bideta":
            return classify(cell.method, method_settings(cell.method, "classification", cell.seed), data)
        preset, borrows = VARIANTS[cell.variant]
        start = time.process_time()
        adapted = Bideta(**preset).fit(data.support.views, data.support.labels)
        if borrows:
            adapted = borrow(adapted, data.query.views)
        seconds = time.process_time() - start
        predicted = np.asarray(adapted.predict(data.query.views), np.int64)
        outcome = classified(data.query.labels, predicted, data.n_classes, preset)
        return replace(outcome, values={**outcome.values, "seconds": seconds})


EXPERIMENT = FewShot()
