"""Sensitivity on TacQuad: one parameter at a time around the ranking settings, on both targets.

As in the paper this is measured on the queries themselves: it describes the default, it did not choose it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bideta import presets
from bideta.protocol.experiments import Cell, Outcome, Scope
from bideta.protocol.experiments._scoring import rank
from bideta.protocol.supply import Bench
from bideta.protocol.sweep import RANGE, Grid, overrides, variants

TABLES: Grid = {
    "tab:sens15": ("n_neighbors", ("10", "20", "40", "80", "120")),
    "tab:sens16": ("gamma", ("0.0", "0.1", "0.25", "0.4", "0.6")),
    "tab:sens17": (RANGE, ("0.20:0.40", "0.40:0.60", "0.60:0.80", "0.70:0.90")),
    "tab:sens18": ("disagreement_weight", ("0.0", "0.25", "0.5", "0.75", "1.0")),
    "tab:sens19": ("n_iter", ("1", "3", "5", "10", "20", "30")),
}


@dataclass(frozen=True)
class SensitivityTacquad:
    """Tables "sens15" to "sens19": MRR, averaged over both targets."""

    name: str = "sensitivity-tacquad"
    title: str = "MRR by parameter on TacQuad"
    exclusive: bool = False
    roles: tuple[str, ...] = ("tacquad",)
    method: str = "bideta"
    tables: Grid = field(default_factory=lambda: TABLES)

    def cells(self, scope: Scope) -> list[Cell]:
        """Every encoder, target, budget, parameter value and seed."""
        return [
            Cell(self.name, dataset, encoder, target, self.method, variant, budget, seed)
            for dataset, info in scope.present(*self.roles)
            if self.method in scope.pick_methods([self.method])
            for encoder in scope.encoders
            for target in scope.pick_targets(info)
            for budget in scope.pick_budgets(info.budgets)
            for variant in variants(self.tables)
            for seed in scope.seeds
        ]

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """MRR and R@1."""
        settings = {**presets.RANKING, **overrides(cell.variant)}
        return rank(cell.method, settings, bench.episode(cell))


EXPERIMENT = SensitivityTacquad()
