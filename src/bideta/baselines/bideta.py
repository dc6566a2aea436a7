"""BIDETA itself, loaded like everything it is compared with.

B. Liu, L. Wei, Z. Li, C. Duan, Q. Li, D. Zhang, X. Wu: "BIDETA: Brain-Inspired Data-Efficient Tactile Adaptation
for Unseen Sensors", preprint. Where the paper is silent the choices are those of ``bideta.presets``.
"""

from __future__ import annotations

from typing import Any

from bideta.baselines import MethodInfo
from bideta.estimator import Bideta

INFO = MethodInfo(
    name="bideta",
    title="BIDETA",
    reference="Liu et al., BIDETA: Brain-Inspired Data-Efficient Tactile Adaptation for Unseen Sensors",
    licence="Apache-2.0 (this package)",
    transductive=True,
    readout="both",
    assumes_balance=True,  # of the batch: prior="support" holds it to the support's class frequencies
)


def load(**settings: Any) -> Bideta:
    """The estimator; its settings are the fields of ``Bideta``."""
    return Bideta(**settings)
