"""The letters of the paper, by the names of ``Bideta``'s parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike


@dataclass(eq=False)
class Settings:
    """What the method is told. The defaults are the paper's for classification; ``bideta.presets`` marks those of ours.

    ``shrinkage`` and ``gamma`` act when a sensor adapts, all others when it answers. ``Bideta`` is a subclass and
    scikit-learn changes its parameters, so this cannot be frozen: code that keeps settings keeps a copy.
    """

    # Memory
    # ρ of the memory's covariance; "auto" is the Ledoit–Wolf intensity
    shrinkage: float | Literal["auto"] = "auto"
    memory_temperature: float = 1.0  # τ_m; a large one makes the memory's distributions flat
    # α, the anchor's weight of the first of two readouts; or one weight per readout
    alpha: float | ArrayLike = 0.5
    # Geometry and graph
    geometry: Literal["spectral", "raw"] = "spectral"  # "raw": features as they come, an ablation
    gamma: float = 0.6  # γ; how strongly directions that vary within classes are turned down, 0 not at all
    n_neighbors: int = 40  # k
    graph_temperature: float = 0.2  # τ_g; a large one makes all neighbours count alike
    # of the readouts' graphs; a number: ours
    fusion: Literal["geometric", "arithmetic"] | float = "geometric"
    # Gate and recurrence
    # λ of Eq. 9; 0 listens to the ambiguity only, 1 to the disagreement only
    disagreement_weight: float = 0.5
    gate_exponent: float = 0.05  # p; a small one opens the gate at the slightest doubt
    r_min: float = 0.7  # share of the neighbours in the answer of a sure query
    r_max: float = 0.9  # … and of an unsure one
    n_iter: int = 10  # T; 0 is the anchor alone
