"""Sensitivity on SITR: one parameter at a time on the development sensor, within its training split.

Support and validation both come from the training split and share no press, so neither the test split nor any
other target has a say in the choice of settings. Tables "sens8" to "sens14".
"""

from __future__ import annotations

from bideta import presets
from bideta.datasets import DatasetInfo
from bideta.protocol.experiment import Cell, Experiment, Outcome
from bideta.protocol.experiments._methods import every_variant
from bideta.protocol.experiments._scoring import classify
from bideta.protocol.supply import Supply
from bideta.protocol.sweep import Sweep, settings_by_variant

SWEEPS = (
    Sweep("tab:sens8", ("n_neighbors",), ("10", "20", "40", "80", "120", "160")),
    Sweep("tab:sens9", ("graph_temperature",), ("0.03", "0.05", "0.07", "0.1", "0.2")),
    Sweep("tab:sens10", ("gamma",), ("0.0", "0.05", "0.15", "0.25", "0.4", "0.6")),
    Sweep("tab:sens11", ("disagreement_weight",), ("0.0", "0.25", "0.5", "0.75", "1.0")),
    Sweep("tab:sens12", ("gate_exponent",), ("0.05", "0.15", "0.3", "0.5", "1.0")),
    Sweep(
        "tab:sens13", ("r_min", "r_max"), ("0.20:0.40", "0.40:0.60", "0.50:0.70", "0.60:0.80", "0.70:0.90")
    ),
    Sweep("tab:sens14", ("n_iter",), ("1", "3", "5", "10", "20", "30", "50")),
)
CHANGES = settings_by_variant(SWEEPS)
BUDGETS = ("5%",)


def splits(cell: Cell, info: DatasetInfo) -> list[tuple[str, str]]:
    """The target's training split and the source's; never a test split."""
    return [(info.source, info.splits[0]), (cell.target, info.splits[0])]


def answer(cell: Cell, supply: Supply) -> Outcome:
    """Accuracy, macro-F1 and confusion matrix on the inner validation contacts."""
    settings = {**presets.CLASSIFICATION, **CHANGES[cell.variant]}
    return classify(cell.method, settings, supply.inner_episode(cell))


EXPERIMENT = Experiment(
    name="sensitivity-sitr",
    roles=("sitr",),
    questions=lambda scope, info: every_variant(scope, CHANGES, BUDGETS),
    answer=answer,
    targets=lambda scope, info: scope.pick_targets(info, info.development),
    splits=splits,
)
