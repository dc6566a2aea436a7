"""Released weight files → the tensors of an encoder, under our keys; nothing in a file is executed.

``.safetensors`` is read as it is. ``.pth`` and ``.ckpt`` are read by our inert readers, not by torch: its restricted
reader refuses foreign classes, inflates what is compressed and makes what a pickle asks for, of any size. They are
converted once to safetensors, named after their hash.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors
import torch
from safetensors.torch import load_file, save
from torch import Tensor

from bideta.encoders.checkpoints.before_zip import read_tensors
from bideta.encoders.checkpoints.folders import converted, keep_converted
from bideta.encoders.checkpoints.keys import CheckpointError, listed
from bideta.encoders.checkpoints.release import Release
from bideta.encoders.checkpoints.unpickle import read_inert

ZIP = b"PK\x03\x04"  # how an archive of torch begins
REPEATED = 2  # times the file's size: tied weights are copied, and safetensors keeps no sharing
WRAPPERS = ("model", "state_dict")  # where training scripts put the network


def encoder_tensors(path: Path, sha256: str, release: Release) -> dict[str, Tensor]:
    """The encoder's tensors from a released file, keys without prefix."""
    if path.suffix == ".safetensors":
        return mapped(_safe(path), release, path.name)
    name = f"{path.stem}-{sha256[:16]}.safetensors"
    for conversion in converted(name):
        if _remembered(conversion) == sha256:
            return _safe(conversion)
    tensors = mapped(flat(read(path)), release, path.name)
    size = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    if size > REPEATED * path.stat().st_size:
        raise CheckpointError(
            f"{path.name} holds tensors that show the same numbers again and again: {size:,} bytes"
        )
    tensors = {key: tensor.contiguous().clone() for key, tensor in tensors.items()}  # safetensors: no sharing
    keep_converted(name, save(tensors, metadata={"source_sha256": sha256}))
    return tensors


def read(path: Path) -> Any:
    """What is in a ``torch.save`` file, nothing executed."""
    with path.open("rb") as stream:
        zipped = stream.read(len(ZIP)) == ZIP
    if zipped:
        return read_inert(path)
    return {name: torch.from_numpy(array) for name, array in read_tensors(path).items()}  # before torch 1.6


def flat(content: Any) -> dict[str, Tensor]:
    """The named tensors of a checkpoint; training scripts wrap them in several ways."""
    candidates = [content, *(content.get(name) for name in WRAPPERS)] if isinstance(content, dict) else []
    for candidate in candidates:
        if isinstance(candidate, dict):
            tensors = {str(key): value for key, value in candidate.items() if isinstance(value, Tensor)}
            if tensors:
                return tensors
    return {}


def mapped(tensors: Mapping[str, Tensor], release: Release, source: str) -> dict[str, Tensor]:
    """The encoder's tensors: ``module.`` and the release's prefix removed, other parts left out."""
    plain = {key.removeprefix("module."): value for key, value in tensors.items()}
    for prefix in release.prefixes:
        if prefix + release.mark in plain:
            return {key.removeprefix(prefix): plain[key] for key in plain if key.startswith(prefix)}
    raise CheckpointError(
        f"{source} holds no encoder of {release.encoder!r}: no key "
        f"{' or '.join(prefix + release.mark for prefix in release.prefixes)} among {len(plain)} tensors "
        f"({listed(plain) or 'none'}). Expected the file {' or '.join(release.names())} of {release.repository}"
    )


def _safe(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except safetensors.SafetensorError as error:
        raise CheckpointError(
            f"{path} is damaged or not a safetensors file ({error}); get or convert it again"
        ) from error


def _remembered(path: Path) -> str | None:
    """The hash of the file it was converted from; None where that cannot be read."""
    try:
        with safetensors.safe_open(path, framework="pt") as stream:
            return (stream.metadata() or {}).get("source_sha256")
    except safetensors.SafetensorError:
        return None
