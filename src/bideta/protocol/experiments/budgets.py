"""Label budgets: accuracy on every unseen sensor of SITR and TacVerse with 1, 5 and 10 % labelled contacts.

Tables "sitr", "tacverse" and "detail1" to "detail4f1", the gain heat map, the confusion matrices.
"""

from __future__ import annotations

from bideta.protocol.experiment import Experiment
from bideta.protocol.experiments._methods import CLASSIFIERS, every_method
from bideta.protocol.experiments._scoring import classify_cell

EXPERIMENT = Experiment(
    name="budgets",
    roles=("sitr", "tacverse"),
    questions=lambda scope, info: every_method(scope, CLASSIFIERS, info.budgets),
    answer=classify_cell,
)
