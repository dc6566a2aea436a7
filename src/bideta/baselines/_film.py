"""SITR's idea on frozen features: a condition that describes the sensor shift scales and shifts the features.

y = x ⊙ (1 + g) + b with (g, b) a small network of the condition c, then y + B·GELU(A·y). The source's condition is
zero. What c is distinguishes ``sitr-calib`` from ``sitr-support``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bideta.baselines._heads import BOTTLENECK, Idea, bottleneck, init_bottleneck, linear
from bideta.baselines._inputs import Floats, Source

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from bideta.baselines._heads import Parameters


def conditioned(target: Floats, reference: Floats, source: Source) -> Idea:
    """The idea with c = mean(target) − mean(reference), in units of the source's spread."""
    import torch

    spread = source.scale.scale
    shift = (target.mean(axis=0) - reference.mean(axis=0)) / spread
    condition = torch.from_numpy(shift.astype(np.float32))
    return Idea(init, partial(features, condition=condition))


def init(d: int, generator: Generator) -> Parameters:
    """Network of the condition (its output starts at zero) and bottleneck."""
    import torch

    film = {"F": linear(d, BOTTLENECK, generator), "G": torch.zeros(BOTTLENECK, 2 * d)}
    return film | init_bottleneck(d, generator)


def features(parameters: Parameters, x: Tensor, is_source: bool, *, condition: Tensor) -> Tensor:
    """φ(x) under the target's condition, or under none."""
    from torch.nn.functional import gelu

    if not is_source:  # GELU(0) = 0: without a condition g and b vanish
        g, b = (gelu(condition @ parameters["F"]) @ parameters["G"]).chunk(2)
        x = x * (1 + g) + b
    return x + bottleneck(parameters, x)
