"""The tensors of a weight file in words: what an error says of a file that does not fit."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

MARK = "patch_embed.proj.weight"  # a key every ViT has: tells which prefix is the encoder's
SHOWN = 8  # groups of keys named in an error; the rest is counted
SIZES = {192: "ViT-Tiny", 384: "ViT-Small", 768: "ViT-Base", 1024: "ViT-Large"}


class CheckpointError(ValueError):
    """The file does not hold this encoder; the message says what is missing, unexpected or of another shape."""


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
