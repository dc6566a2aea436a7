"""Single taps: the twins once more, one frame per press. Who wins where no query is another's neighbour in time?

Methods that answer in closed form or from few iterations; what the same ones do on presses of 20 frames is measured by
``budgets``, and the report shows both orders side by side.
"""

from __future__ import annotations

from bideta.datasets import DatasetInfo
from bideta.protocol.experiment import Experiment, Question, Scope
from bideta.protocol.experiments._methods import QUICK_RIVALS, RIVALS
from bideta.protocol.experiments._scoring import classify_cell

METHODS = ("simpleshot", "laplacianshot", "bideta")


def questions(scope: Scope, info: DatasetInfo) -> list[Question]:
    """Every method at the smallest and the largest budget."""
    budgets = list(dict.fromkeys((next(iter(info.budgets)), list(info.budgets)[-1])))
    methods = scope.pick_methods((*METHODS, *(QUICK_RIVALS if scope.quick else RIVALS)))
    return [(method, "", budget) for method in methods for budget in scope.pick_budgets(budgets)]


EXPERIMENT = Experiment(
    name="taps", roles=("sitr-taps", "tacverse-taps"), questions=questions, answer=classify_cell
)
