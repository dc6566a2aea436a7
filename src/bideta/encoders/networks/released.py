"""The vision transformers of TVL and Sparsh; every key is named as in the released files, so both load strictly.

Importing this module imports torch.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

NORM_EPSILON = 1e-6  # LayerNorm, in timm's and in Sparsh's ViT
POSITION_BASE = 10000.0  # longest wavelength of Sparsh's sin/cos positions
TOKEN_SCALE = 0.02  # standard deviation of untrained tokens and learned positions


@dataclass(frozen=True)
class Shape:
    """Sizes of the network; the defaults are ViT-S/16."""

    channels: int = 3
    dim: int = 384
    depth: int = 12
    heads: int = 6
    mlp: int = 4  # hidden units of a block's MLP, in multiples of dim
    patch: int = 16
    size: int = 224  # fixes TVL's learned positions; Sparsh takes any multiple of the patch
    projection: int = 768  # TVL's second readout


class Attention(nn.Module):
    """Multi-head self-attention."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        """``(B, tokens, dim)`` in and out."""
        q, k, v = self.qkv(x).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        return self.proj(functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    """Two layers with the exact GELU."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x: Tensor) -> Tensor:
        """``(B, tokens, dim)`` in and out."""
        return self.fc2(functional.gelu(self.fc1(x)))


class LayerScale(nn.Module):
    """A learned factor per feature."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        """``(B, tokens, dim)`` in and out."""
        return x * self.gamma


class Block(nn.Module):
    """Pre-norm transformer block, with LayerScale in Sparsh and without in TVL and T3."""

    def __init__(self, shape: Shape, layer_scale: bool, epsilon: float = NORM_EPSILON) -> None:
        super().__init__()
        dim = shape.dim
        self.norm1, self.norm2 = nn.LayerNorm(dim, epsilon), nn.LayerNorm(dim, epsilon)
        self.attn, self.mlp = Attention(dim, shape.heads), Mlp(dim, shape.mlp * dim)
        self.ls1 = LayerScale(dim) if layer_scale else nn.Identity()
        self.ls2 = LayerScale(dim) if layer_scale else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """``(B, tokens, dim)`` in and out."""
        x = x + self.ls1(self.attn(self.norm1(x)))
        return x + self.ls2(self.mlp(self.norm2(x)))


class PatchEmbed(nn.Module):
    """One token per patch, row by row."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.proj = nn.Conv2d(shape.channels, shape.dim, shape.patch, shape.patch)

    def forward(self, frames: Tensor) -> tuple[Tensor, int, int]:
        """Tokens ``(B, rows · columns, dim)``, rows, columns."""
        grid: Tensor = self.proj(frames)
        return grid.flatten(2).transpose(1, 2), grid.shape[2], grid.shape[3]


class SinCos(nn.Module):
    """Sparsh's positions: sin y, cos y, sin x, cos x of the patch's row and column; the bands are in the file."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        bands = POSITION_BASE ** -torch.linspace(0, 1, dim // 4 + 1)[:-1]
        self.frequency_bands: Tensor
        self.register_buffer("frequency_bands", torch.stack([bands, bands]))

    def forward(self, rows: int, columns: int) -> Tensor:
        """``(rows · columns, dim)``."""
        device = self.frequency_bands.device
        y, x = torch.arange(rows, device=device), torch.arange(columns, device=device)
        vertical, horizontal = y[:, None] * self.frequency_bands[0], x[:, None] * self.frequency_bands[1]
        down = torch.cat([vertical.sin(), vertical.cos()], 1)[:, None].expand(-1, columns, -1)
        across = torch.cat([horizontal.sin(), horizontal.cos()], 1)[None].expand(rows, -1, -1)
        return torch.cat([down, across], 2).flatten(0, 1)


class TvlNetwork(nn.Module):
    """timm's ``vit_small_patch16_224(num_classes=768, global_pool="avg")``: 21,961,344 parameters.

    Readout 1 is ``fc_norm`` of the mean patch token (the mean itself with ``pre_norm``), readout 2 its projection.
    """

    def __init__(self, shape: Shape | None = None, pre_norm: bool = False) -> None:
        super().__init__()
        shape = shape or Shape()
        self.pre_norm = pre_norm
        self.cls_token = nn.Parameter(TOKEN_SCALE * torch.randn(1, 1, shape.dim))
        tokens = 1 + (shape.size // shape.patch) ** 2
        self.pos_embed = nn.Parameter(TOKEN_SCALE * torch.randn(1, tokens, shape.dim))
        self.patch_embed = PatchEmbed(shape)
        self.blocks = nn.ModuleList(Block(shape, layer_scale=False) for _ in range(shape.depth))
        self.fc_norm = nn.LayerNorm(shape.dim, NORM_EPSILON)
        self.head = nn.Linear(shape.dim, shape.projection)

    def forward(self, frames: Tensor) -> tuple[Tensor, Tensor]:
        """``(B, 3, 224, 224)`` → ``(B, 384)``, ``(B, 768)``; neither is scaled to unit length."""
        patches, _, _ = self.patch_embed(frames)
        x = torch.cat([self.cls_token.expand(patches.shape[0], -1, -1), patches], 1) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        mean = x[:, 1:].mean(1)
        pooled = self.fc_norm(mean)
        return (mean if self.pre_norm else pooled), self.head(pooled)


class SparshNetwork(nn.Module):
    """Sparsh: one register (DINO, DINOv2) or none (MAE, I-JEPA), no class token, computed positions.

    The readouts are the mean normalised patch tokens of the last two blocks. ``drop_first_patch`` leaves out the
    upper left patch, as the original ``get_intermediate_layers`` does (it counts a class token that is not there).
    """

    def __init__(
        self, shape: Shape | None = None, drop_first_patch: bool = False, registers: int = 1
    ) -> None:
        super().__init__()
        shape = shape or Shape(channels=6)
        self.first_patch = registers + drop_first_patch  # registers come before the patches
        if registers:
            self.register_tokens = nn.Parameter(TOKEN_SCALE * torch.randn(1, registers, shape.dim))
        self.pos_embed = SinCos(shape.dim)
        self.patch_embed = PatchEmbed(shape)
        self.blocks = nn.ModuleList(Block(shape, layer_scale=True) for _ in range(shape.depth))
        self.norm = nn.LayerNorm(shape.dim, NORM_EPSILON)

    def forward(self, frames: Tensor) -> tuple[Tensor, Tensor]:
        """``(B, 6, height, width)`` → ``(B, dim)``, ``(B, dim)``."""
        patches, rows, columns = self.patch_embed(frames)
        x = patches + self.pos_embed(rows, columns)
        if hasattr(self, "register_tokens"):
            x = torch.cat([self.register_tokens.expand(x.shape[0], -1, -1), x], 1)
        layers = []
        for block in self.blocks:
            x = block(x)
            layers.append(x)
        before, last = (self.norm(layer[:, self.first_patch :]).mean(1) for layer in layers[-2:])
        return before, last
