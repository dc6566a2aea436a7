"""Identity ranking on TacQuad: MRR and R@1 with 10, 20 and 30 % of each identity's frames enrolled.

Tables "tacquad", "ranking5" and "ranking6".
"""

from __future__ import annotations

from bideta.protocol.experiment import Cell, Experiment, Outcome
from bideta.protocol.experiments._methods import RANKERS, every_method, method_settings
from bideta.protocol.experiments._scoring import rank
from bideta.protocol.supply import Supply


def answer(cell: Cell, supply: Supply) -> Outcome:
    """MRR and R@1 of a method."""
    settings = method_settings(cell.method, "ranking", cell.seed, supply.quick)
    return rank(cell.method, settings, supply.episode(cell))


EXPERIMENT = Experiment(
    name="ranking",
    roles=("tacquad",),
    questions=lambda scope, info: every_method(scope, RANKERS, info.budgets),
    answer=answer,
)
