"""The twins' network: a small vision transformer in torch, for training, export and `.safetensors` files.

A convolutional stem turns 64×64 pixels into 8×8 patch tokens; fixed 2-D sin/cos positions are added; there is
no class token. Importing this module imports torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from torch import Tensor, nn
from torch.nn import functional

from bideta.encoders.networks.released import NORM_EPSILON, SinCos


@dataclass(frozen=True)
class Shape:
    """Sizes of the network."""

    channels: int = 3
    dim: int = 128
    depth: int = 4
    heads: int = 4
    mlp: int = 4  # hidden units of a block's MLP, in multiples of dim
    stem: tuple[int, int] = (32, 64)  # channels after the first and the second stride-2 convolution
    grid: int = 8  # tokens per side; one token is 8 pixels wide
    projection: int = 256  # readout 2 of the "pooled" kind


class Block(nn.Module):
    """Pre-norm transformer block."""

    def __init__(self, dim: int, heads: int, mlp: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim, NORM_EPSILON), nn.LayerNorm(dim, NORM_EPSILON)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.fc1, self.fc2 = nn.Linear(dim, mlp * dim), nn.Linear(mlp * dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        """``(B, tokens, dim)`` in and out."""
        qkv = self.qkv(self.norm1(x)).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2])
        x = x + self.proj(attended.transpose(1, 2).flatten(2))
        return x + self.fc2(functional.gelu(self.fc1(self.norm2(x))))


class TwinViT(nn.Module):
    """Frames ``(B, channels, 64, 64)`` → two readouts.

    ``kind="pooled"`` (TVL): the normalised mean of the patch tokens, and a linear projection of it.
    ``kind="blocks"`` (Sparsh): the mean of the normalised patch tokens after the last two blocks.
    """

    def __init__(self, shape: Shape, kind: Literal["pooled", "blocks"], batch_norm: bool = False) -> None:
        super().__init__()
        a, b = shape.stem
        normed: Any = nn.BatchNorm2d if batch_norm else lambda width: nn.Identity()
        self.shape, self.kind = shape, kind
        self.stem = nn.Sequential(
            nn.Conv2d(shape.channels, a, 3, 2, 1), normed(a), nn.GELU(),
            nn.Conv2d(a, b, 3, 2, 1), normed(b), nn.GELU(),
            nn.Conv2d(b, shape.dim, 3, 2, 1),
        )  # fmt: skip
        self.position: Tensor
        self.register_buffer("position", SinCos(shape.dim)(shape.grid, shape.grid), persistent=False)
        self.blocks = nn.ModuleList(Block(shape.dim, shape.heads, shape.mlp) for _ in range(shape.depth))
        self.norm = nn.LayerNorm(shape.dim, NORM_EPSILON)
        if kind == "pooled":
            self.head = nn.Linear(shape.dim, shape.projection)

    def tokens(self, frames: Tensor) -> Tensor:
        """Patch tokens ``(B, grid², dim)`` with positions, before the first block."""
        stem: Tensor = self.stem(frames)
        return stem.flatten(2).transpose(1, 2) + self.position

    def layers(self, tokens: Tensor) -> list[Tensor]:
        """Tokens after every block; ``tokens`` may be a subset of the patches."""
        outputs = []
        for block in self.blocks:
            tokens = block(tokens)
            outputs.append(tokens)
        return outputs

    def forward(self, frames: Tensor) -> tuple[Tensor, Tensor]:
        """Readout 1 and readout 2."""
        layers = self.layers(self.tokens(frames))
        if self.kind == "blocks":
            return self.norm(layers[-2]).mean(1), self.norm(layers[-1]).mean(1)
        pooled = self.norm(layers[-1].mean(1))
        return pooled, self.head(pooled)
