"""Unified shots: 2, 5 and 10 labelled contacts per class, nested, on sensors that no setting was chosen on.

The four "shots" tables: five targets of SITR (without the development sensor) and five of TacVerse.
"""

from __future__ import annotations

from bideta.protocol.experiment import Experiment, Scope
from bideta.protocol.experiments._methods import CLASSIFIERS, every_method
from bideta.protocol.experiments._scoring import classify_cell

BUDGETS = ("2-shot", "5-shot", "10-shot")

EXPERIMENT = Experiment(
    name="shots",
    roles=("sitr", "tacverse"),
    questions=lambda scope, info: every_method(scope, CLASSIFIERS, BUDGETS),
    answer=classify_cell,
    targets=Scope.pick_test_targets,
)
