"""Ablation: eleven variants of the method on SITR, from one memory to the full model."""

from __future__ import annotations

from dataclasses import dataclass

from bideta import presets
from bideta.protocol.experiments import Cell, Outcome, Scope
from bideta.protocol.experiments._scoring import classify
from bideta.protocol.supply import Bench


@dataclass(frozen=True)
class Ablation:
    """Tables "ablation" (accuracy) and "fullablationf1" (macro-F1); variants are those of ``presets.ABLATIONS``."""

    name: str = "ablation"
    title: str = "accuracy and macro-F1 of the method's parts"
    exclusive: bool = False
    roles: tuple[str, ...] = ("sitr",)
    method: str = "bideta"

    def cells(self, scope: Scope) -> list[Cell]:
        """Every encoder, target, budget, variant and seed."""
        return [
            Cell(self.name, dataset, encoder, target, self.method, variant, budget, seed)
            for dataset, info in scope.present(*self.roles)
            if self.method in scope.pick_methods([self.method])
            for encoder in scope.encoders
            for target in scope.pick_targets(info)
            for budget in scope.pick_budgets(info.budgets)
            for variant in presets.ABLATIONS
            for seed in scope.seeds
        ]

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """Accuracy, macro-F1 and confusion matrix."""
        settings = {**presets.CLASSIFICATION, **presets.ABLATIONS[cell.variant]}
        return classify(cell.method, settings, bench.episode(cell))


EXPERIMENT = Ablation()
