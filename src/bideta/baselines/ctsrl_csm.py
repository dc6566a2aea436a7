"""CTSRL CSM, approximated: a trained head whose features a learned sensor token modulates.

Y. Zhang, Z. Wang, P. Zeng, X. Xu, J. Song, H. T. Shen: "Cross Tactile Sensor Representation Learning", ICML 2026.

No code is public, and what is known of the Cross-Sensor Modulator is that it "eliminates sensor-specific biases".
Ours is an adaptive layer norm, as sensor-conditioned modulation usually is: a token of the sensor gives scale
g, shift b and gate a; y = LN(x) ⊙ (1 + g) + b; φ(x) = y + (1 + a) ⊙ B·GELU(A·y). Their pre-training on synthetic
and multimodal data is left out, as the encoder is frozen. Loop and losses in ``_heads``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bideta.baselines import MethodInfo
from bideta.baselines._heads import Idea, bottleneck, head_loader, init_bottleneck
from bideta.baselines._inputs import Task

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from bideta.baselines._heads import Parameters

INFO = MethodInfo(
    name="ctsrl-csm",
    title="CTSRL CSM",
    reference="Zhang et al., Cross Tactile Sensor Representation Learning, ICML 2026 (approximation)",
    licence="no public code",
    transductive=False,
    readout="final",
    needs_source=True,
    needs_torch=True,
)

TOKEN = 64  # width of a sensor token


def init(d: int, generator: Generator) -> Parameters:
    """Two tokens, the map to (g, b, a), which starts at zero, and the bottleneck."""
    import torch

    tokens = torch.randn(2, TOKEN, generator=generator)
    return {"tokens": tokens, "modulate": torch.zeros(TOKEN, 3 * d)} | init_bottleneck(d, generator)


def features(parameters: Parameters, x: Tensor, is_source: bool) -> Tensor:
    """φ(x) under the token of the sensor."""
    from torch.nn.functional import layer_norm

    g, b, a = (parameters["tokens"][int(is_source)] @ parameters["modulate"]).chunk(3)
    y = layer_norm(x, x.shape[1:]) * (1 + g) + b
    return y + (1 + a) * bottleneck(parameters, y)


def idea(task: Task) -> Idea:
    """One token for the target sensor and one for the source."""
    return Idea(init, features)


load = head_loader(INFO, idea)
