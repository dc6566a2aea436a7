"""AnyTouch Match: a trained head that also tells whether a target and a source contact are of one class.

R. Feng et al.: "AnyTouch: Learning Unified Static-Dynamic Representation across Multiple Visuo-tactile Sensors",
ICLR 2025.

Kept of theirs is the cross-sensor matching of stage 2: a linear layer on the product of two unit-length features,
binary cross-entropy, weight 0.1. Their pairs are the same object touched by two sensors; ours are contacts of the same
class, and a contact's two pairs (a positive, a negative) count one half each beside its source prototype. Left out, as
the encoder is frozen: masked reconstruction, vision and text, sensor tokens. Module φ(x) = x + B·GELU(A·x) on the
target, identity on the source; loop and other losses in ``_heads``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bideta.baselines import MethodInfo
from bideta.baselines._heads import Batch, Idea, bottleneck, head_loader, init_bottleneck, own_class
from bideta.baselines._inputs import Task

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from bideta.baselines._heads import Parameters

INFO = MethodInfo(
    name="anytouch-match",
    title="AnyTouch Match",
    reference="Feng et al., AnyTouch, ICLR 2025",
    licence="MIT",
    transductive=False,
    readout="final",
    needs_source=True,
    needs_torch=True,
    url="https://github.com/GeWu-Lab/AnyTouch",
)

MATCH_WEIGHT = 0.1  # their cross_alpha
MATCH_SCALE = 10.0  # ours: the layer starts as ten times the cosine, or its gradient would be faint for long


def init(d: int, generator: Generator) -> Parameters:
    """Bottleneck, and the matching layer."""
    import torch

    match = {"match": torch.full((d,), MATCH_SCALE), "match_bias": torch.zeros(())}
    return match | init_bottleneck(d, generator)


def features(parameters: Parameters, x: Tensor, is_source: bool) -> Tensor:
    """φ(x) of the target; source features stay as they are."""
    return x if is_source else x + bottleneck(parameters, x)


def matching_loss(parameters: Parameters, batch: Batch) -> Tensor:
    """Every contact with its class's source prototype, and with a source contact of its class and of another.

    Each step draws one source contact of every class; the batch shares them.
    """
    import torch
    from torch.nn.functional import normalize, softplus

    C, rows = len(batch.prototypes), len(batch.y)
    other = (batch.y + torch.randint(1, C, (rows,), generator=batch.generator)) % C  # any class but the own
    partners = normalize(torch.cat([batch.prototypes, batch.draw_source(torch.arange(C))]), dim=1)  # (2C, d)
    scores = batch.phi @ (partners * parameters["match"]).T / batch.length + parameters["match_bias"]
    prototype, alike, unlike = (own_class(scores, k) for k in (batch.y, C + batch.y, C + other))
    # Binary cross-entropy: softplus(−s) where the answer is yes, softplus(s) where it is no; the mean of a contact's
    # two pairs, as torch's loss averages over all pairs.
    pairs = (softplus(-alike) + softplus(unlike)) / 2
    return MATCH_WEIGHT * (softplus(-prototype) + pairs).mean()


def idea(task: Task) -> Idea:
    """The matching loss beside the shared ones."""
    return Idea(init, features, matching_loss)


load = head_loader(INFO, idea)
