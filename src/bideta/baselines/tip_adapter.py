"""Tip-Adapter: source logits plus a cache of labelled features.

R. Zhang et al.: "Tip-Adapter: Training-free Adaption of CLIP for Few-shot Classification", ECCV 2022.

logits(x) = prior(x) + α · exp(−β(1 − x·Kᵀ)) · onehot(y) on the unit-length final readout, K the support.
Their prior are CLIP's text logits; here, as in the paper, it is the logits of the source head.

Three modes. ``"paper"`` keeps the published α and β: the logits of a head that is at chance on the new sensor
then drown the cache, which is what the paper's low rows show. ``"cache"`` has no prior (and needs no source
data). ``"tuned"``, the default, chooses α and β by leave-one-out on the support; the authors' ``main.py`` searches them
on a validation set (their ImageNet script on the test features), which a new sensor does not have. With one contact per
class leaving it out leaves nothing to learn from, and ``"tuned"`` keeps the published values. Keys are the features
themselves, not means over augmented images.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, Noted, loader
from bideta.baselines._inputs import Floats, Labels, Readouts, Task, require_source
from bideta.baselines._prototypes import one_hot, unit_rows
from bideta.baselines._settings import Amount
from bideta.baselines._source_head import head_logits

INFO = MethodInfo(
    name="tip-adapter",
    title="Tip-Adapter",
    reference="Zhang et al., Tip-Adapter, ECCV 2022",
    licence="none given",
    transductive=False,
    readout="final",
    needs_source=True,
    url="https://github.com/gaopengcuhk/Tip-Adapter",
)

Mode = Literal["tuned", "paper", "cache"]

ALPHA, BETA = 1.0, 5.5  # the paper's defaults
# From a cache that hardly counts to one that outweighs any head, even where its nearest key is far in units of 1/β:
# the last α is the cache alone. So sharp a cache because tactile readouts differ by ten-thousandths of cosine; the
# last β is a nearest neighbour.
ALPHAS = tuple(10.0**power for power in range(-2, 16))
BETAS = (
    0.1,
    0.3,
    1.0,
    2.0,
    5.5,
    10.0,
    20.0,
    50.0,
    100.0,
    200.0,
    500.0,
    1e3,
    2e3,
    5e3,
    1e4,
    2e4,
    5e4,
    1e5,
    2e5,
)


def learn(task: Task, *, mode: Mode = "tuned", alpha: Amount = ALPHA, beta: Amount = BETA) -> Infer:
    """The cache, the head, and (when tuned) α and β from the support alone."""
    H, y = task.support.readouts[-1], task.support.y
    keys, Y = unit_rows(H), one_hot(y, task.n_classes)
    if mode == "cache":
        return partial(infer, keys=keys, Y=Y, head=None, alpha=alpha, beta=beta)
    head = require_source(task, f"{INFO.name} with mode={mode!r}").head
    if mode == "tuned" and Y.sum(axis=0).min() > 1:
        alpha, beta = leave_one_out(keys, y, Y, head_logits(head, H))
    answer = partial(infer, keys=keys, Y=Y, head=head, alpha=alpha, beta=beta)
    return Noted(answer, {"alpha": alpha, "beta": beta})


def infer(
    readouts: Readouts, keys: Floats, Y: Floats, head: LogisticRegression | None, alpha: float, beta: float
) -> Floats:
    """Prior logits plus cache logits."""
    X = unit_rows(readouts[-1])
    logits = alpha * cache_values(X @ keys.T, Y, beta)
    if head is not None:
        logits = logits + head_logits(head, readouts[-1])
    return logits


def cache_values(cosine: Floats, Y: Floats, beta: float) -> Floats:
    """exp(−β(1 − cosine))·onehot: how much of every class the cache finds near a query."""
    values: Floats = np.exp(-beta * (1 - cosine)) @ Y
    return values


def leave_one_out(keys: Floats, y: Labels, Y: Floats, prior: Floats) -> tuple[float, float]:
    """(α, β) with the best accuracy on the support, each contact judged by the others; ties by likelihood.

    Without its own key a contact's class has n − 1 of n: its sum is scaled up, or the missing key alone would
    decide wherever all keys are about as near, and the choice would flee to the sharpest β.
    """
    cosine = keys @ keys.T
    np.fill_diagonal(cosine, -np.inf)  # exp(−∞) = 0: a contact is not in its own cache
    rows, counts = np.arange(len(y)), Y.sum(axis=0)[y]
    best, chosen = (-1.0, -np.inf), (ALPHA, BETA)
    for beta in BETAS:
        cache = cache_values(cosine, Y, beta)
        cache[rows, y] *= counts / (counts - 1)
        for alpha in ALPHAS:
            logits = prior + alpha * cache
            accuracy = float((logits.argmax(axis=1) == y).mean())
            if accuracy < best[0]:
                continue
            likelihood = float(log_softmax(logits, axis=1)[rows, y].mean())
            if (accuracy, likelihood) > best:
                best, chosen = (accuracy, likelihood), (alpha, beta)
    return chosen


load = loader(INFO, learn, scored=True)
