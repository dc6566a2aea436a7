"""SITR-Support: a trained head whose features are conditioned on the shift from source to support.

H. Gupta, Y. Mo, S. Jin, W. Yuan: "Sensor-Invariant Tactile Representation", ICLR 2025; the variant is the BIDETA
paper's: "SITR-Support uses the support–source mean difference as its condition".

Theirs is a transformer that sees calibration images as extra tokens and is trained on simulated sensors; none of
it fits a frozen encoder. Kept is the idea: a description of the sensor modulates the features. Loop and losses
in ``_heads``, the module in ``_film``.
"""

from __future__ import annotations

from bideta.baselines import MethodInfo
from bideta.baselines._film import conditioned
from bideta.baselines._heads import Idea, head_loader
from bideta.baselines._inputs import Task, require_source

INFO = MethodInfo(
    name="sitr-support",
    title="SITR-Support",
    reference="Gupta et al., Sensor-Invariant Tactile Representation, ICLR 2025",
    licence="MIT (said in the README; no licence file)",
    transductive=False,
    readout="final",
    needs_source=True,
    needs_torch=True,
    url="https://github.com/hgupt3/gsrl",
)


def idea(task: Task) -> Idea:
    """Conditioned on mean(support) − mean(source)."""
    source = require_source(task, INFO.name)
    return conditioned(task.support.readouts[-1], source.readouts[-1], source)


load = head_loader(INFO, idea)
