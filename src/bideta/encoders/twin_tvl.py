"""A small stand-in for TVL, trained on the *simulated* DIGIT only: pooled features and a projection of them.

The weights are part of the package. Where TVL aligns touch with vision and language, this one aligns touch
with a second touch of the same random object and with the object's height map; see bideta help twin-tvl.
"""

from __future__ import annotations

from pathlib import Path

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints.embedded import load_embedded
from bideta.encoders.runners.preprocessing import Preprocessing

INFO = EncoderInfo(
    name="twin-tvl",
    title="Twin of TVL: small ViT, touch and description, simulated DIGIT",
    input_size=64,
    channels=3,
    readouts=(128, 256),
    parameters=919_616,
    trained_on="the simulated DIGIT, no real touch",
    licence="Apache-2.0",
    reference="ours, after Fu et al., A Touch, Vision, and Language Dataset for Multimodal Alignment, ICML 2024",
    url="bideta help twin-tvl",
    decisive=("random_weights", "seed"),
)
# Mean and standard deviation of 2,000 random-geometry frames of the simulated DIGIT.
PREPROCESSING = Preprocessing(64, 64, 3, mean=(0.564, 0.548, 0.589), std=(0.192, 0.169, 0.207))


def load(
    weights: str | Path | None = None,
    threads: int | None = None,
    *,
    random_weights: bool = False,
    seed: int = 0,
) -> Encoder:
    """The encoder; ``random_weights=True`` is the untrained control, drawn from ``seed``."""
    return load_embedded(INFO, PREPROCESSING, "pooled", weights, threads, random_weights, seed)
