"""Released weight files → the tensors of an encoder, under its own keys; strict, and never executing a file.

``.safetensors`` is read as it is. ``.pth`` and ``.ckpt`` are read by torch with ``weights_only=True``; what torch
refuses (foreign classes) by our inert reader; either is converted once to safetensors under the name of its hash.
"""

from __future__ import annotations

import argparse
import pickle
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import safetensors
import torch
from safetensors.torch import load_file, save
from torch import Tensor, nn

from bideta.encoders.checkpoints.release import Release, folders, kept
from bideta.encoders.checkpoints.unpickle import read_inert

WRAPPERS = ("model", "state_dict")  # where training scripts put the network
MARK = "patch_embed.proj.weight"  # a key every ViT has: tells which prefix is the encoder's
SHOWN = 8  # groups of keys named in an error; the rest is counted
SIZES = {192: "ViT-Tiny", 384: "ViT-Small", 768: "ViT-Base", 1024: "ViT-Large"}


class CheckpointError(ValueError):
    """The file does not hold this encoder; the message says what is missing, unexpected or of another shape."""


def encoder_tensors(path: Path, sha256: str, release: Release) -> dict[str, Tensor]:
    """The encoder's tensors from a released file, keys without prefix."""
    if path.suffix == ".safetensors":
        return mapped(_safe(path), release, path.name)
    name = f"{path.stem}-{sha256[:16]}.safetensors"
    for folder in folders():
        converted = folder / "converted" / name
        if converted.is_file() and _remembered(converted) == sha256:
            return _safe(converted)
    tensors = mapped(flat(read(path)), release, path.name)
    tensors = {key: tensor.contiguous().clone() for key, tensor in tensors.items()}  # safetensors: no sharing
    kept(name, save(tensors, metadata={"source_sha256": sha256}))
    return tensors


def read(path: Path) -> Any:
    """What is in a ``torch.save`` file, nothing executed."""
    try:
        with torch.serialization.safe_globals([argparse.Namespace]):
            return torch.load(path, map_location="cpu", weights_only=True)
    except (
        pickle.UnpicklingError,
        RuntimeError,
        EOFError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ):
        return read_inert(path)  # also refuses what is damaged, and says so


def flat(content: Any) -> dict[str, Tensor]:
    """The named tensors of a checkpoint, whichever way the training script wrapped them."""
    candidates = [content, *(content.get(name) for name in WRAPPERS)] if isinstance(content, dict) else []
    for candidate in candidates:
        if isinstance(candidate, dict):
            tensors = {str(key): value for key, value in candidate.items() if isinstance(value, Tensor)}
            if tensors:
                return tensors
    return {}


def mapped(tensors: Mapping[str, Tensor], release: Release, source: str) -> dict[str, Tensor]:
    """The encoder's own tensors: ``module.`` and the release's prefix removed, other parts left out."""
    plain = {key.removeprefix("module."): value for key, value in tensors.items()}
    for prefix in release.prefixes:
        if prefix + MARK in plain:
            return {key.removeprefix(prefix): plain[key] for key in plain if key.startswith(prefix)}
    raise CheckpointError(
        f"{source} holds no encoder of {release.encoder!r}: no key "
        f"{' or '.join(prefix + MARK for prefix in release.prefixes)} among {len(plain)} tensors "
        f"({listed(plain) or 'none'}). Expected the file {' or '.join(release.names())} of {release.repository}"
    )


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


def listed(keys: Iterable[str]) -> str:
    """Keys in a line: the blocks' numbers folded into ranges, at most a few groups named.

    >>> listed(["blocks.0.ls1.gamma", "blocks.1.ls1.gamma", "blocks.3.ls1.gamma", "norm.bias"])
    'blocks.{0-1,3}.ls1.gamma, norm.bias'
    """
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for key in sorted(keys):
        match = re.match(r"(.*?\bblocks\.)(\d+)(\..*)", key)
        if match:
            groups[match[1], match[3]].append(int(match[2]))
        else:
            groups[key, ""] = []
    names = [f"{head}{{{ranges(sorted(n))}}}{tail}" if n else head for (head, tail), n in groups.items()]
    rest = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + rest


def ranges(numbers: list[int]) -> str:
    """Sorted numbers as ranges.

    >>> ranges([0, 1, 2, 5])
    '0-2,5'
    """
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)


def described(tensors: Mapping[str, Tensor]) -> str:
    """What kind of ViT the tensors are, in words."""
    if MARK not in tensors:
        return "no ViT"
    dim, channels = tensors[MARK].shape[:2]
    blocks = {key.split(".")[1] for key in tensors if key.startswith("blocks.")}
    special = [key for key in ("cls_token", "register_tokens", "head.weight") if key in tensors]
    return (
        f"a {SIZES.get(dim, 'ViT')} (width {dim}, {channels} channels, {len(blocks)} blocks, "
        f"{', '.join(special) or 'no class token, register or head'})"
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
