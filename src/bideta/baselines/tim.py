"""TIM: prototypes that maximise the mutual information between queries and labels.

M. Boudiaf, I. M. Ziko, J. Rony, J. Dolz, P. Piantanida, I. Ben Ayed: "Transductive Information Maximization For
Few-Shot Learning", NeurIPS 2020.

Minimises λ·CE(support) − H(Y) + α·H(Y|X) over prototypes W, with p_ik ∝ exp(−τ/2 ‖x_i − w_k‖²) on unit-length
features, by gradient steps (TIM-GD); weights, temperature, step and steps are theirs. H(Y) asks for equally many
queries of every class. Their faster alternating scheme (TIM-ADM) was tried first and left: on raw readouts with
hundreds of labelled contacts its iterates do not settle, and answers depend on rounding.

Departures: centring on the support comes with the space (they use post-ReLU features as they are); a batch
smaller than the number of classes cannot be balanced and keeps the support's prototypes.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._information import descend
from bideta.baselines._inputs import Floats, Task
from bideta.baselines._settings import Amount, Count, Positive
from bideta.baselines._spaces import SpaceName, in_space

INFO = MethodInfo(
    name="tim",
    title="TIM",
    reference="Boudiaf et al., Transductive Information Maximization, NeurIPS 2020",
    licence="MIT",
    transductive=True,
    readout="both",
    assumes_balance=True,
    url="https://github.com/mboudiaf/TIM",
)

SHARPNESS = 15.0  # their τ, which multiplies
SUPPORT_WEIGHT, CONDITIONAL_WEIGHT = 0.1, 0.1  # their λ and α; H(Y) weighs 1
STEP = 1e-4
N_ITER = 1000
LOG_FLOOR = 1e-12  # added inside logarithms, as theirs


def learn(
    task: Task,
    *,
    space: SpaceName = "lda",
    sharpness: Positive = SHARPNESS,
    support_weight: Amount = SUPPORT_WEIGHT,
    conditional_weight: Amount = CONDITIONAL_WEIGHT,
    step: Amount = STEP,
    n_iter: Count = N_ITER,
) -> Infer:
    """The support in its space."""
    options = partial(descend, support_weight=support_weight, sharpness=sharpness, step=step)
    return in_space(
        task, space, partial(solve, options=options, conditional_weight=conditional_weight, n_iter=n_iter)
    )


def solve(
    S: Floats, Y: Floats, X: Floats, *, options: partial[Floats], conditional_weight: float, n_iter: int
) -> Floats:
    """Distributions under the prototypes that share most information with the queries."""
    slope = partial(information_slope, conditional_weight=conditional_weight)
    return options(S, Y, X, slope=slope, n_iter=n_iter if len(X) >= Y.shape[1] else 0)


def information_slope(P: Floats, conditional_weight: float) -> Floats:
    """m times the derivative of −H(Y) + α·H(Y|X) by P, up to a constant that the softmax ignores."""
    slope: Floats = np.log(P.mean(axis=0) + LOG_FLOOR) - conditional_weight * np.log(P + LOG_FLOOR)
    return slope


load = loader(INFO, learn)
