"""Sensitivity on TacQuad: one parameter at a time around the ranking settings, on both targets.

As in the paper this is measured on the queries themselves: it describes the default, it did not choose it.
Tables "sens15" to "sens19": MRR, averaged over both targets.
"""

from __future__ import annotations

from bideta import presets
from bideta.protocol.experiment import Cell, Experiment, Outcome
from bideta.protocol.experiments._methods import every_variant
from bideta.protocol.experiments._scoring import rank
from bideta.protocol.supply import Supply
from bideta.protocol.sweep import Sweep, settings_by_variant

SWEEPS = (
    Sweep("tab:sens15", ("n_neighbors",), ("10", "20", "40", "80", "120")),
    Sweep("tab:sens16", ("gamma",), ("0.0", "0.1", "0.25", "0.4", "0.6")),
    Sweep("tab:sens17", ("r_min", "r_max"), ("0.20:0.40", "0.40:0.60", "0.60:0.80", "0.70:0.90")),
    Sweep("tab:sens18", ("disagreement_weight",), ("0.0", "0.25", "0.5", "0.75", "1.0")),
    Sweep("tab:sens19", ("n_iter",), ("1", "3", "5", "10", "20", "30")),
)
CHANGES = settings_by_variant(SWEEPS)


def answer(cell: Cell, supply: Supply) -> Outcome:
    """MRR and R@1."""
    settings = {**presets.RANKING, **CHANGES[cell.variant]}
    return rank(cell.method, settings, supply.episode(cell))


EXPERIMENT = Experiment(
    name="sensitivity-tacquad",
    roles=("tacquad",),
    questions=lambda scope, info: every_variant(scope, CHANGES, info.budgets),
    answer=answer,
)
