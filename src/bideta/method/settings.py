"""The letters of the paper, by the names of ``Bideta``'s parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike


@dataclass(eq=False)
class Settings:
    """What the method is told. The defaults are the paper's for classification; ``presets`` says which are ours.

    ``shrinkage`` and ``gamma`` act when a sensor adapts, all others when it answers. Not frozen, because ``Bideta``
    is one and scikit-learn sets parameters; whatever keeps settings keeps a copy.
    """

    shrinkage: float | Literal["auto"] = "auto"  # ρ; "auto" is the Ledoit–Wolf intensity
    memory_temperature: float = 1.0  # τ_m
    alpha: float | ArrayLike = 0.5  # α, the weight of the first of two readouts; or one weight per readout
    geometry: Literal["spectral", "raw"] = (
        "spectral"  # "raw": the graph on features as they come, an ablation
    )
    gamma: float = 0.6  # γ
    n_neighbors: int = 40  # k
    graph_temperature: float = 0.2  # τ_g
    fusion: Literal["geometric", "arithmetic"] = "geometric"
    disagreement_weight: float = 0.5  # λ of Eq. 9
    gate_exponent: float = 0.05  # p
    r_min: float = 0.7
    r_max: float = 0.9
    n_iter: int = 10  # T; 0 is the anchor alone
