"""TVL's tactile encoder, ViT-Small: pooled features (384) and their projection into CLIP's space (768).

Fu et al., A Touch, Vision, and Language Dataset for Multimodal Alignment, ICML 2024. Frames are prepared as in
the paper's appendix; the original code pads to a square, turns by 90° and resizes bilinearly
(``pad_and_rotate=True, resize="pil-bilinear"``). The paper does not say whether the pooled readout is taken before
or after ``fc_norm``: after is our choice (``pooling="pre-norm"`` is the other one).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints.release import Release, status
from bideta.encoders.runners import require_torch
from bideta.encoders.runners.preprocessing import Preprocessing, Resize

# Licence of the encoder's folder; the repository's root is under Apache-2.0.
LICENCE = "CC BY-NC 4.0, not for commercial use"
RELEASE = Release(
    encoder="tvl",
    repository="mlfu7/Touch-Vision-Language-Models",
    files=("ckpt/tvl_enc/tvl_enc_vits.pth",),
    prefixes=("tactile_encoder.", ""),
    licence=LICENCE,
)
INFO = EncoderInfo(
    name="tvl",
    title="TVL tactile encoder, ViT-Small",
    readouts=(384, 768),
    parameters=21_961_344,
    licence=LICENCE,
    reference="Fu et al., A Touch, Vision, and Language Dataset for Multimodal Alignment, ICML 2024",
    url="https://github.com/Max-Fu/tvl",
    extra="torch",
    run_by="torch",
    weights_at=partial(status, RELEASE),
)
MEAN = (0.291746, 0.297133, 0.291040)  # of TVL's tactile images, in [0, 1]: the paper's appendix
STD = (0.187645, 0.194677, 0.218716)
POOLINGS = ("normed", "pre-norm")


def load(
    weights: str | Path | None = None,
    *,
    download: bool = False,
    revision: str | None = None,
    sha256: str | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: bool | None = None,
    resize: Resize = "pil-bicubic",
    pad_and_rotate: bool = False,
    pooling: Literal["normed", "pre-norm"] = "normed",
    random_weights: bool = False,
    seed: int = 0,
) -> Encoder:
    """The encoder; ``random_weights=True`` is the untrained control, drawn from ``seed``."""
    if pooling not in POOLINGS:
        raise ValueError(f"pooling is {pooling!r}, expected one of {', '.join(POOLINGS)}")
    preprocessing = Preprocessing(224, 224, 3, MEAN, STD, resize=resize, pad_and_rotate=pad_and_rotate)
    require_torch(INFO.name)
    from bideta.encoders.checkpoints.filling import released_network
    from bideta.encoders.networks.released import TvlNetwork
    from bideta.encoders.runners.fingerprint import of_network
    from bideta.encoders.runners.torch import TorchEncoder

    network = released_network(
        lambda: TvlNetwork(pre_norm=pooling == "pre-norm"), RELEASE, weights, download=download,
        revision=revision, sha256=sha256, random_weights=random_weights, seed=seed,
    )  # fmt: skip
    fingerprint = of_network(network, preprocessing, f"tvl {pooling}")
    return TorchEncoder(INFO, network, preprocessing, fingerprint, device, threads, progress)
