"""Sensitivity on SITR: one parameter at a time on the development sensor, within its training split.

Support and validation both come from the training split and share no press, so neither the test split nor any
other target has a say in the choice of settings.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bideta import presets
from bideta.datasets import DatasetInfo
from bideta.protocol.experiments import Cell, Outcome, Scope
from bideta.protocol.experiments._scoring import classify
from bideta.protocol.supply import Bench
from bideta.protocol.sweep import RANGE, Grid, overrides, variants

TABLES: Grid = {
    "tab:sens8": ("n_neighbors", ("10", "20", "40", "80", "120", "160")),
    "tab:sens9": ("graph_temperature", ("0.03", "0.05", "0.07", "0.1", "0.2")),
    "tab:sens10": ("gamma", ("0.0", "0.05", "0.15", "0.25", "0.4", "0.6")),
    "tab:sens11": ("disagreement_weight", ("0.0", "0.25", "0.5", "0.75", "1.0")),
    "tab:sens12": ("gate_exponent", ("0.05", "0.15", "0.3", "0.5", "1.0")),
    "tab:sens13": (RANGE, ("0.20:0.40", "0.40:0.60", "0.50:0.70", "0.60:0.80", "0.70:0.90")),
    "tab:sens14": ("n_iter", ("1", "3", "5", "10", "20", "30", "50")),
}


@dataclass(frozen=True)
class SensitivitySitr:
    """Tables "sens8" to "sens14": accuracy on the inner validation contacts."""

    name: str = "sensitivity-sitr"
    title: str = "accuracy by parameter on the development sensor, training contacts only"
    exclusive: bool = False
    roles: tuple[str, ...] = ("sitr",)
    method: str = "bideta"
    budgets: tuple[str, ...] = ("5%",)
    tables: Grid = field(default_factory=lambda: TABLES)

    def cells(self, scope: Scope) -> list[Cell]:
        """Every encoder, parameter value and seed, on the development sensor."""
        return [
            Cell(self.name, dataset, encoder, target, self.method, variant, budget, seed)
            for dataset, info in scope.present(*self.roles)
            if self.method in scope.pick_methods([self.method])
            for encoder in scope.encoders
            for target in scope.pick_targets(info, info.development)
            for budget in scope.pick_budgets(self.budgets)
            for variant in variants(self.tables)
            for seed in scope.seeds
        ]

    def needs(self, cell: Cell, info: DatasetInfo) -> list[tuple[str, str]]:
        """The target's training split and the source's; never a test split."""
        return [(info.source, info.splits[0]), (cell.target, info.splits[0])]

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """Accuracy, macro-F1 and confusion matrix on the inner validation contacts."""
        settings = {**presets.CLASSIFICATION, **overrides(cell.variant)}
        return classify(cell.method, settings, bench.inner_episode(cell))


EXPERIMENT = SensitivitySitr()
