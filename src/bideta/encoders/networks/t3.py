"""T3's stem of one kind of sensor and shared trunk; keys as in the released files. Importing it imports torch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bideta.encoders.networks.released import TOKEN_SCALE, Block, PatchEmbed, Shape

TRUNK_EPSILON = 1e-5  # torch's own, which T3's trunk takes; its stems have timm's 1e-6


class T3Stem(nn.Module):
    """The encoder of one kind of sensor: class token, learned positions, blocks, no norm at the end."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.cls_token = nn.Parameter(TOKEN_SCALE * torch.randn(1, 1, shape.dim))
        tokens = 1 + (shape.size // shape.patch) ** 2
        self.pos_embed = nn.Parameter(TOKEN_SCALE * torch.randn(1, tokens, shape.dim))
        self.patch_embed = PatchEmbed(shape)
        self.blocks = nn.ModuleList(Block(shape, layer_scale=False) for _ in range(shape.depth))

    def forward(self, frames: Tensor) -> Tensor:
        """``(B, 3, 224, 224)`` → ``(B, 197, dim)``."""
        patches, _, _ = self.patch_embed(frames)
        x = torch.cat([self.cls_token.expand(patches.shape[0], -1, -1), patches], 1) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        return x


class T3Trunk(nn.Module):
    """The blocks that all sensors share, and the final norm."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            Block(shape, layer_scale=False, epsilon=TRUNK_EPSILON) for _ in range(shape.depth)
        )
        self.norm = nn.LayerNorm(shape.dim, TRUNK_EPSILON)

    def forward(self, x: Tensor) -> Tensor:
        """``(B, tokens, dim)`` in and out."""
        for block in self.blocks:
            x = block(x)
        normed: Tensor = self.norm(x)
        return normed


class T3Network(nn.Module):
    """A stem before the trunk; the readouts are the normalised class token and the mean normalised patch token.

    T3's decoders see the same two: ``cls`` for classes, ``global`` for numbers.
    """

    def __init__(self, stem: nn.Module, trunk: nn.Module) -> None:
        super().__init__()
        self.stem, self.trunk = stem, trunk

    def forward(self, frames: Tensor) -> tuple[Tensor, Tensor]:
        """``(B, 3, 224, 224)`` → ``(B, dim)``, ``(B, dim)``."""
        x = self.trunk(self.stem(frames))
        return x[:, 0], x[:, 1:].mean(1)
