"""What TVL and Sparsh share: find the file, read it, fill the network strictly, wrap it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints.release import Release, locate
from bideta.encoders.runners.preprocessing import Frames

if TYPE_CHECKING:
    from torch import nn


def require_torch(name: str) -> None:
    """An error that says what to install, where torch is missing."""
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{name} is run by torch, which is missing: pip install 'bideta[torch]', or load an exported file as "
            "'onnx:FILE'"
        ) from error


def load_release(
    info: EncoderInfo,
    release: Release,
    build: Callable[[], nn.Module],
    preprocessing: Frames,
    weights: str | Path | None,
    random_weights: bool,
    seed: int,
    pins: dict[str, Any],  # download, revision, sha256
    run: dict[str, Any],  # device, threads, progress, readout
) -> Encoder:
    """The encoder with the released weights, or the untrained control."""
    from bideta.encoders.checkpoints.checkpoint import encoder_tensors, load_strictly
    from bideta.encoders.runners.torch import TorchEncoder, untrained

    if random_weights and weights is not None:
        raise ValueError(
            f"random_weights=True draws its own weights; weights is {str(weights)!r}, expected None"
        )
    if not random_weights:
        path, sha256 = locate(release, weights, **pins)
        tensors = encoder_tensors(path, sha256, release)
    network = untrained(build, seed)
    if not random_weights:
        load_strictly(network, tensors, release, path.name)
    return TorchEncoder(info, network, preprocessing, **run)
