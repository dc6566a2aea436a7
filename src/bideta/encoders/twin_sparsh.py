"""A small stand-in for Sparsh, self-supervised on three *simulated* sensors: the last two blocks' mean tokens.

The weights are part of the package. Input is a frame and an earlier one (the frame itself where there is none);
it has seen a DIGIT, a GelSight 2017 and one unit of the GelSight Mini design; see bideta help twin-sparsh.
"""

from __future__ import annotations

from pathlib import Path

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints.embedded import load_embedded
from bideta.encoders.runners.preprocessing import Preprocessing

INFO = EncoderInfo(
    name="twin-sparsh",
    title="Twin of Sparsh: small ViT, self-supervised, three simulated sensors",
    input_size=64,
    channels=6,
    readouts=(128, 128),
    parameters=887_456,
    trained_on="three simulated sensors, no real touch",
    licence="Apache-2.0",
    reference="ours, after Higuera et al., Sparsh: Self-supervised touch representations, CoRL 2024",
    url="bideta help twin-sparsh",
    decisive=("random_weights", "seed"),
)
PREPROCESSING = Preprocessing(64, 64, 6)  # [0, 1] without mean and standard deviation, as Sparsh


def load(
    weights: str | Path | None = None,
    threads: int | None = None,
    *,
    random_weights: bool = False,
    seed: int = 0,
) -> Encoder:
    """The encoder; ``random_weights=True`` is the untrained control, drawn from ``seed``."""
    return load_embedded(INFO, PREPROCESSING, "blocks", weights, threads, random_weights, seed)
