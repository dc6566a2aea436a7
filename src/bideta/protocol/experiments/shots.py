"""Unified shots: 2, 5 and 10 labelled contacts per class, nested, on sensors that no setting was chosen on."""

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
class Shots:
    """The four "shots" tables: five targets of SITR (without the development sensor) and five of TacVerse."""

    name: str = "shots"
    title: str = "accuracy and macro-F1 with 2, 5 and 10 labelled contacts per class"
    exclusive: bool = False
    roles: tuple[str, ...] = ("sitr", "tacverse")
    methods: tuple[str, ...] = CLASSIFIERS
    budgets: tuple[str, ...] = ("2-shot", "5-shot", "10-shot")

    def cells(self, scope: Scope) -> list[Cell]:
        """Every dataset, encoder, target, number of shots, method and seed."""
        return [
            Cell(self.name, dataset, encoder, target, method, budget=budget, seed=seed)
            for dataset, info in scope.present(*self.roles)
            for encoder in scope.encoders
            for target in scope.pick_targets(info, [s for s in info.targets if s not in info.development])
            for method in scope.pick_methods((*self.methods, *rivals(scope.quick)))
            for budget in (
                (UNLABELLED,) if method in UNLABELLED_METHODS else scope.pick_budgets(self.budgets)
            )
            for seed in scope.seeds
        ]

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """Accuracy, macro-F1 and confusion matrix."""
        settings = method_settings(cell.method, "classification", cell.seed, bench.quick)
        return classify(cell.method, settings, bench.episode(cell))


EXPERIMENT = Shots()
