"""A network with its weights: the released ones, all of them, or those of the untrained control."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from bideta.encoders.checkpoints import refuse_weights_of_control
from bideta.encoders.checkpoints.checkpoint import encoder_tensors
from bideta.encoders.checkpoints.keys import CheckpointError, described, listed
from bideta.encoders.checkpoints.release import Release, locate


def released_network(
    build: Callable[[], nn.Module],
    release: Release,
    weights: str | Path | None = None,
    *,
    download: bool = False,
    revision: str | None = None,
    sha256: str | None = None,
    random_weights: bool = False,
    seed: int = 0,
) -> nn.Module:
    """``build()`` with the released weights, or the untrained control."""
    if random_weights:
        refuse_weights_of_control(weights)
        return untrained(build, seed)
    path, computed = locate(release, weights, download=download, revision=revision, sha256=sha256)
    tensors = encoder_tensors(path, computed, release)
    network = untrained(build, seed)
    load_strictly(network, tensors, release, path.name)
    return network


def untrained(build: Callable[[], nn.Module], seed: int) -> nn.Module:
    """``build()`` with its weights drawn from ``seed``; torch's global generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


def load_strictly(network: nn.Module, tensors: Mapping[str, Tensor], release: Release, source: str) -> None:
    """Fill the network; every tensor must be there, none left over, all of the right shape."""
    wanted = network.state_dict()
    missing, unexpected = wanted.keys() - tensors.keys(), tensors.keys() - wanted.keys()
    reshaped = [key for key in wanted if key in tensors and wanted[key].shape != tensors[key].shape]
    if not (missing or unexpected or reshaped):
        network.load_state_dict(dict(tensors))
        return
    lines = [f"{source} does not fit {release.encoder!r}:"]
    lines += [f"  missing ({len(missing)}): {listed(missing)}"] if missing else []
    lines += [f"  unexpected ({len(unexpected)}): {listed(unexpected)}"] if unexpected else []
    if reshaped:
        key = reshaped[0]
        lines.append(
            f"  other shape ({len(reshaped)}): {listed(reshaped)}; {key} is {tuple(tensors[key].shape)}, "
            f"expected {tuple(wanted[key].shape)}"
        )
    lines.append(
        f"The file holds {described(tensors)}; {release.encoder!r} is {described(wanted)}. Pass weights= the file "
        f"{' or '.join(release.names())} of {release.repository}"
    )
    raise CheckpointError("\n".join(lines))
