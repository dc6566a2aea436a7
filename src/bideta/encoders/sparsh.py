"""Sparsh-DINO small: the mean normalised patch tokens of its last two blocks (384 each).

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
from typing import Any

import numpy as np

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints.release import Release, status
from bideta.encoders.runners import require_torch
from bideta.encoders.runners.preprocessing import Preprocessing, Resize

LICENCE = "CC BY-NC 4.0, not for commercial use"
RELEASE = Release(
    encoder="sparsh",
    repository="facebook/sparsh-dino-small",
    files=("dino_vitsmall.safetensors", "dino_vitsmall.ckpt"),
    prefixes=("teacher_encoder.backbone.", "backbone.", ""),
    licence=LICENCE,
)
INFO = EncoderInfo(
    name="sparsh",
    title="Sparsh-DINO, ViT-Small, two frames",
    channels=6,
    readouts=(384, 384),
    parameters=21_894_144,
    licence=LICENCE,
    reference="Higuera et al., Sparsh: Self-supervised touch representations, CoRL 2024",
    url="https://github.com/facebookresearch/sparsh",
    extra="torch",
    run_by="torch",
    weights_at=partial(status, RELEASE),
)
PATCH = 16  # pixels; an input side must be a multiple of it


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
    size: int | tuple[int, int] = 224,
    background: Any = None,
    drop_first_patch: bool = False,
    random_weights: bool = False,
    seed: int = 0,
) -> Encoder:
    """The encoder; ``background`` is an ``(H, W, 3)`` uint8 frame without contact, of the camera's size.

    ``random_weights=True`` is the untrained control, drawn from ``seed``.
    """
    height, width = (size, size) if isinstance(size, int) else size
    if min(height, width) < PATCH or height % PATCH or width % PATCH:
        raise ValueError(f"size is {size}, expected multiples of {PATCH} pixels (height, width)")
    shade = None if background is None else np.asarray(background)
    preprocessing = Preprocessing(height, width, 6, resize=resize, background=shade)
    info = replace(INFO, input_size=height, input_width=None if width == height else width)
    require_torch(INFO.name)
    from bideta.encoders.checkpoints.filling import released_network
    from bideta.encoders.networks.released import SparshNetwork
    from bideta.encoders.runners.fingerprint import of_network
    from bideta.encoders.runners.torch import TorchEncoder

    network = released_network(
        lambda: SparshNetwork(drop_first_patch=drop_first_patch), RELEASE, weights, download=download,
        revision=revision, sha256=sha256, random_weights=random_weights, seed=seed,
    )  # fmt: skip
    fingerprint = of_network(network, preprocessing, f"sparsh {drop_first_patch}")
    return TorchEncoder(info, network, preprocessing, fingerprint, device, threads, progress)
