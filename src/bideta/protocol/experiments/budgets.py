"""Label budgets: accuracy on every unseen sensor of SITR and TacVerse with 1, 5 and 10 % labelled contacts."""

from __future__ import annotations

from dataclasses import dataclass

from bideta.protocol.experiments import Cell, Outcome, Scope
from bideta.protocol.experiments._scoring import (
    CLASSIFIERS,
    UNLABELLED_METHODS,
    classify,
    method_settings,
    rivals,
)
from bideta.protocol.supply import UNLABELLED, Bench


@dataclass(frozen=True)
class Budgets:
    """Tables "sitr", "tacverse" and "detail1" to "detail4f1", the gain heat map, the confusion matrices."""

    name: str = "budgets"
    title: str = "accuracy and macro-F1 on unseen sensors by label budget"
    exclusive: bool = False
    roles: tuple[str, ...] = ("sitr", "tacverse")
    methods: tuple[str, ...] = CLASSIFIERS

    def cells(self, scope: Scope) -> list[Cell]:
        """Every dataset, encoder, target, budget, method and seed."""
        return [
            Cell(self.name, dataset, encoder, target, method, budget=budget, seed=seed)
            for dataset, info in scope.present(*self.roles)
            for encoder in scope.encoders
            for target in scope.pick_targets(info)
            for method in scope.pick_methods((*self.methods, *rivals(scope.quick)))
            for budget in (
                (UNLABELLED,) if method in UNLABELLED_METHODS else scope.pick_budgets(info.budgets)
            )
            for seed in scope.seeds
        ]

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """Accuracy, macro-F1 and confusion matrix."""
        settings = method_settings(cell.method, "classification", cell.seed, bench.quick)
        return classify(cell.method, settings, bench.episode(cell))


EXPERIMENT = Budgets()
