"""Sparsh: mean normalised patch tokens of its last two blocks. ``sparsh`` is DINO small, ``sparsh:mae-base`` another.

Higuera et al., Sparsh: Self-supervised touch representations for vision-based tactile sensing, CoRL 2024. Input is
the frame, then an earlier one (five frames before, in pretraining; the frame itself where there is none, as the
paper does on SITR and TacVerse), in [0, 1] without channel statistics. Pretraining saw 320×240 pixels (height ×
width) with the background subtracted: ``size=(320, 240), background=...``. The original ``get_intermediate_layers``
loses the first patch: ``drop_first_patch=True`` gives its numbers.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints import variant_or_file
from bideta.encoders.checkpoints.release import Release, status
from bideta.encoders.runners import require_torch
from bideta.encoders.runners.preprocessing import Preprocessing, Resize

LICENCE = "CC BY-NC 4.0, not for commercial use"


class Variant(NamedTuple):
    """What differs between the released encoders; all are ViT/16 with twelve blocks and six input channels."""

    dim: int
    heads: int
    registers: int
    prefixes: tuple[str, ...]  # of the encoder's keys in the .ckpt; the .safetensors have bare keys
    parameters: int


TEACHER, TARGET, ONLY = ("teacher_encoder.backbone.", "backbone."), ("target_encoder.",), ("encoder.",)
DEFAULT = "dino-small"
# V-JEPA's encoders look at four frames through a patch of three dimensions: another network.
VARIANTS = {
    "dino-small": Variant(384, 6, 1, TEACHER, 21_894_144),
    "dino-base": Variant(768, 12, 1, TEACHER, 86_255_616),
    "dinov2-base": Variant(768, 12, 1, TEACHER, 86_255_616),
    "ijepa-small": Variant(384, 6, 0, TARGET, 21_893_760),
    "ijepa-base": Variant(768, 12, 0, TARGET, 86_254_848),
    "mae-small": Variant(384, 6, 0, ONLY, 21_893_760),
    "mae-base": Variant(768, 12, 0, ONLY, 86_254_848),
}


def release(variant: str) -> Release:
    """The files of a variant, named by one scheme: ``dino_vitsmall.safetensors`` in ``facebook/sparsh-dino-small``."""
    objective, _, size = variant.partition("-")
    stem = f"{objective}_vit{size}"
    return Release(
        encoder="sparsh" if variant == DEFAULT else f"sparsh:{variant}",
        repository=f"facebook/sparsh-{variant}",
        files=(f"{stem}.safetensors", f"{stem}.ckpt"),
        prefixes=(*VARIANTS[variant].prefixes, ""),
        licence=LICENCE,
    )


RELEASE = release(DEFAULT)
INFO = EncoderInfo(
    name="sparsh",
    title="Sparsh-DINO, ViT-Small, two frames; sparsh:dino-base and others",
    channels=6,
    readouts=(384, 384),
    parameters=21_894_144,
    trained_on="touch of DIGIT and GelSight (2017, Mini) sensors",
    licence=LICENCE,
    reference="Higuera et al., Sparsh: Self-supervised touch representations, CoRL 2024",
    url="https://github.com/facebookresearch/sparsh",
    variants=tuple(VARIANTS),
    extra="torch",
    run_by="torch",
    decisive=("resize", "size", "drop_first_patch", "random_weights", "seed"),
    weights_at=partial(status, RELEASE),
)
PATCH = 16  # pixels; an input side must be a multiple of it
MAX_SIDE = 1024  # pixels; a sensor's file may name a size, and attention takes its fourth power


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
    size: int | tuple[int, int] = 224,
    background: Any = None,
    drop_first_patch: bool = False,
    random_weights: bool = False,
    seed: int = 0,
) -> Encoder:
    """The encoder; ``background`` is an ``(H, W, 3)`` uint8 frame without contact, of the camera's size.

    ``random_weights=True`` is the untrained control, drawn from ``seed``.
    """
    variant, weights = variant_or_file("sparsh", variant, weights, VARIANTS)
    chosen, source = VARIANTS[variant], release(variant)
    sides = (size, size) if isinstance(size, int) else tuple(size)
    if len(sides) != 2 or not all(side in range(PATCH, MAX_SIDE + 1, PATCH) for side in sides):
        raise ValueError(
            f"size is {size}, expected multiples of {PATCH} pixels (height, width), at most {MAX_SIDE:,}"
        )
    height, width = sides
    shade = None if background is None else np.asarray(background)
    preprocessing = Preprocessing(height, width, 6, resize=resize, background=shade)
    info = replace(INFO, input_size=height, input_width=None if width == height else width)
    if variant != DEFAULT:
        info = replace(
            info,
            name=source.encoder,
            title=f"Sparsh, {variant}, two frames",
            readouts=(chosen.dim, chosen.dim),
            parameters=chosen.parameters,
            weights_at=partial(status, source),
        )
    require_torch(INFO.name)
    from bideta.encoders.checkpoints.filling import released_network
    from bideta.encoders.networks.released import Shape, SparshNetwork
    from bideta.encoders.runners.fingerprint import of_network
    from bideta.encoders.runners.torch import TorchEncoder

    shape = Shape(channels=6, dim=chosen.dim, heads=chosen.heads)
    network = released_network(
        lambda: SparshNetwork(shape, drop_first_patch, chosen.registers), source, weights, download=download,
        revision=revision, sha256=sha256, random_weights=random_weights, seed=seed,
    )  # fmt: skip
    fingerprint = of_network(network, preprocessing, f"{source.encoder} {drop_first_patch}")
    return TorchEncoder(info, network, preprocessing, fingerprint, device, threads, progress)
