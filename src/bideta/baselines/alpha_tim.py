"""α-TIM: TIM with α-entropies, so that the batch need not be balanced.

O. Veilleux, M. Boudiaf, P. Piantanida, I. Ben Ayed: "Realistic Evaluation of Transductive Few-Shot Learning",
NeurIPS 2021.

Minimises CE(support) − H_α(Y) + H_α(Y|X) over prototypes, with H_α(p) = (1 − Σ p^α)/(α − 1): for α > 1 an uneven
marginal costs little. p_ik ∝ exp(−τ/2 ‖x_i − w_k‖²) on unit-length features, gradient steps with Adam. τ, step
size, steps and the choice of α by shots (2 for one, 7 from five on, 5 between) are theirs. Departure:
centring on the support comes with the space.
"""

from __future__ import annotations

from functools import partial

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._information import descend
from bideta.baselines._inputs import Floats, Task
from bideta.baselines._settings import Amount, Count, Positive
from bideta.baselines._spaces import SpaceName, in_space
from bideta.checks import check_number

INFO = MethodInfo(
    name="alpha-tim",
    title="α-TIM",
    reference="Veilleux et al., Realistic Evaluation of Transductive Few-Shot Learning, NeurIPS 2021",
    licence="none given",
    transductive=True,
    readout="both",
    url="https://github.com/oveilleux/Realistic_Transductive_Few_Shot",
)

SHARPNESS = 15.0  # their τ, which multiplies
STEP = 1e-4
N_ITER = 1000


def learn(
    task: Task,
    *,
    space: SpaceName = "lda",
    alpha: float | None = None,
    sharpness: Positive = SHARPNESS,
    step: Amount = STEP,
    n_iter: Count = N_ITER,
) -> Infer:
    """The support in its space."""
    if alpha is None:
        alpha = published_alpha(len(task.support.y) / task.n_classes)
    check_number("alpha", alpha, float, above=1, hint="at 1 the entropies are Shannon's, which is tim")
    slope = partial(information_slope, alpha=alpha)
    options = partial(descend, slope=slope, support_weight=1.0, sharpness=sharpness, step=step, n_iter=n_iter)
    return in_space(task, space, options)


def published_alpha(shots: float) -> float:
    """The authors' α for this many labelled contacts per class."""
    if shots >= 5:
        return 7.0
    return 5.0 if shots > 1 else 2.0


def information_slope(P: Floats, alpha: float) -> Floats:
    """m times the derivative of −H_α(Y) + H_α(Y|X) by P."""
    power = alpha - 1
    slope: Floats = alpha / power * (P.mean(axis=0) ** power - P**power)
    return slope


load = loader(INFO, learn)
