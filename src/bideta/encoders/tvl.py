"""TVL's tactile encoder: pooled features and their projection into CLIP's space (768). ``tvl`` is ViT-Small (384),
``tvl:tiny`` (192) and ``tvl:base`` (768) are its other sizes.

Fu et al., A Touch, Vision, and Language Dataset for Multimodal Alignment, ICML 2024. Frames are prepared as in
the paper's appendix; the original code pads to a square, turns by 90° and resizes bilinearly
(``pad_and_rotate=True, resize="pil-bilinear"``). The paper does not say whether the pooled readout is taken before
or after ``fc_norm``: after is our choice (``pooling="pre-norm"`` is the other one).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints import variant_or_file
from bideta.encoders.checkpoints.release import Release, status
from bideta.encoders.runners import require_torch
from bideta.encoders.runners.preprocessing import Preprocessing, Resize

# Licence of the encoder's folder; the repository's root is under Apache-2.0.
LICENCE = "CC BY-NC 4.0, not for commercial use"


class Variant(NamedTuple):
    """What differs between the released sizes; all are ViT/16 with twelve blocks."""

    dim: int
    heads: int
    file: str
    parameters: int


DEFAULT = "small"
VARIANTS = {
    "small": Variant(384, 6, "tvl_enc_vits.pth", 21_961_344),
    "tiny": Variant(192, 3, "tvl_enc_vittiny.pth", 5_672_640),
    "base": Variant(768, 12, "tvl_enc_vitb.pth", 86_389_248),
}


def release(variant: str) -> Release:
    """The file of a size."""
    return Release(
        encoder="tvl" if variant == DEFAULT else f"tvl:{variant}",
        repository="mlfu7/Touch-Vision-Language-Models",
        files=(f"ckpt/tvl_enc/{VARIANTS[variant].file}",),
        prefixes=("tactile_encoder.", ""),
        licence=LICENCE,
    )


RELEASE = release(DEFAULT)
INFO = EncoderInfo(
    name="tvl",
    title="TVL tactile encoder, ViT-Small; tvl:tiny and tvl:base",
    readouts=(384, 768),
    parameters=21_961_344,
    trained_on="touch of DIGIT sensors",
    licence=LICENCE,
    reference="Fu et al., A Touch, Vision, and Language Dataset for Multimodal Alignment, ICML 2024",
    url="https://github.com/Max-Fu/tvl",
    variants=tuple(VARIANTS),
    extra="torch",
    run_by="torch",
    decisive=("resize", "pad_and_rotate", "pooling", "random_weights", "seed"),
    weights_at=partial(status, RELEASE),
)
MEAN = (0.291746, 0.297133, 0.291040)  # of TVL's tactile images, in [0, 1]: the paper's appendix
STD = (0.187645, 0.194677, 0.218716)
POOLINGS = ("normed", "pre-norm")


def load(
    variant: str | Path = DEFAULT,
    *,
    weights: str | Path | None = None,
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
    variant, weights = variant_or_file("tvl", variant, weights, VARIANTS)
    if pooling not in POOLINGS:
        raise ValueError(f"pooling is {pooling!r}, expected one of {', '.join(POOLINGS)}")
    preprocessing = Preprocessing(224, 224, 3, MEAN, STD, resize=resize, pad_and_rotate=pad_and_rotate)
    chosen, source, info = VARIANTS[variant], release(variant), INFO
    if variant != DEFAULT:
        info = replace(
            info,
            name=source.encoder,
            title=f"TVL tactile encoder, ViT-{variant.capitalize()}",
            readouts=(chosen.dim, 768),
            parameters=chosen.parameters,
            weights_at=partial(status, source),
        )
    require_torch(INFO.name)
    from bideta.encoders.checkpoints.filling import released_network
    from bideta.encoders.networks.released import Shape, TvlNetwork
    from bideta.encoders.runners.fingerprint import of_network
    from bideta.encoders.runners.torch import TorchEncoder

    shape = Shape(dim=chosen.dim, heads=chosen.heads)
    network = released_network(
        lambda: TvlNetwork(shape, pre_norm=pooling == "pre-norm"), source, weights, download=download,
        revision=revision, sha256=sha256, random_weights=random_weights, seed=seed,
    )  # fmt: skip
    fingerprint = of_network(network, preprocessing, f"{source.encoder} {pooling}")
    return TorchEncoder(info, network, preprocessing, fingerprint, device, threads, progress)
