"""Identity ranking on TacQuad: MRR and R@1 with 10, 20 and 30 % of each identity's frames enrolled."""

from __future__ import annotations

from dataclasses import dataclass

from bideta.protocol.experiments import Cell, Outcome, Scope
from bideta.protocol.experiments._scoring import RANKERS, UNLABELLED_METHODS, method_settings, rank, rivals
from bideta.protocol.supply import UNLABELLED, Bench


@dataclass(frozen=True)
class Ranking:
    """Tables "tacquad", "ranking5" and "ranking6"."""

    name: str = "ranking"
    title: str = "MRR and R@1 of enrolled identities by label budget"
    exclusive: bool = False
    roles: tuple[str, ...] = ("tacquad",)
    methods: tuple[str, ...] = RANKERS

    def cells(self, scope: Scope) -> list[Cell]:
        """Every encoder, target, budget, method and seed."""
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
        """MRR and R@1."""
        settings = method_settings(cell.method, "ranking", cell.seed, bench.quick)
        return rank(cell.method, settings, bench.episode(cell))


EXPERIMENT = Ranking()
