"""Ablation: eleven variants of the method on SITR, from one memory to the full model.

Tables "ablation" (accuracy) and "fullablationf1" (macro-F1); the variants are those of ``presets.ABLATIONS``.
"""

from __future__ import annotations

from bideta import presets
from bideta.protocol.experiment import Cell, Experiment, Outcome
from bideta.protocol.experiments._methods import every_variant
from bideta.protocol.experiments._scoring import classify
from bideta.protocol.supply import Supply


def answer(cell: Cell, supply: Supply) -> Outcome:
    """Accuracy, macro-F1 and confusion matrix of a variant."""
    settings = {**presets.CLASSIFICATION, **presets.ABLATIONS[cell.variant]}
    return classify(cell.method, settings, supply.episode(cell))


EXPERIMENT = Experiment(
    name="ablation",
    roles=("sitr",),
    questions=lambda scope, info: every_variant(scope, presets.ABLATIONS, info.budgets),
    answer=answer,
)
