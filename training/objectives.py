"""What is minimised: one module per encoder, holding the encoder and the heads that are thrown away afterwards.

In both, the first touch of an object shows half of its patch tokens and the second all of them. A step is cheaper,
and features do not hang on one patch.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from bideta.encoders.networks.embedded import Block, TwinViT

TEMPERATURE = 0.1  # divides cosine similarities
HEIGHT_WEIGHT = 1.0  # of the height term (TVL)
PIXEL_WEIGHT = 1.0  # of the pixel term (Sparsh)
KEEP = 0.5  # share of the patch tokens that the first touch shows
PATCH, HEIGHT_PATCH = 8, 4  # pixels per token and side, of a frame and of a height map
# Variance added to that of a patch: a patch without contact is not blown up to unit contrast.
PATCH_NOISE = 1e-4


def contrast(a: Tensor, b: Tensor) -> Tensor:
    """Symmetric InfoNCE: row i of ``a`` belongs to row i of ``b`` and to no other.

    Columns are standardised over the batch first: every picture shares the sensor's background, and without this
    all cosines begin near one and the loss rests on its plateau for hundreds of steps.
    """
    a, b = (functional.normalize(functional.batch_norm(x, None, None, training=True), dim=1) for x in (a, b))
    logits = a @ b.T / TEMPERATURE
    same = torch.arange(len(a))
    return (functional.cross_entropy(logits, same) + functional.cross_entropy(logits.T, same)) / 2


def patches(images: Tensor, side: int) -> Tensor:
    """``(B, channels, 8 · side, 8 · side)`` → ``(B, 64 tokens, channels · side²)``."""
    return functional.unfold(images, side, stride=side).transpose(1, 2)


def shown(count: int, tokens: int) -> tuple[Tensor, Tensor]:
    """For every row a random order of the tokens, cut into shown and hidden: two index tables."""
    order = torch.rand(count, tokens).argsort(dim=1)
    kept = round(KEEP * tokens)
    return order[:, :kept], order[:, kept:]


def pick(tokens: Tensor, index: Tensor) -> Tensor:
    """Rows ``index`` (B, k) of ``tokens`` (B, n, d)."""
    return tokens.gather(1, index[:, :, None].expand(-1, -1, tokens.shape[2]))


class TouchAndDescription(nn.Module):
    """TVL: touch is aligned with another touch of the same object and with a description of the object.

    The description, a height map of the object seen from above in any orientation, stands for TVL's vision and
    language and is encoded by a small network of its own. The tokens also predict the object's local height
    over the gel, which keeps *where* and *what* in them.
    """

    def __init__(self, encoder: TwinViT) -> None:
        super().__init__()
        self.encoder = encoder
        self.describe = nn.Sequential(
            nn.Conv2d(1, 16, 3, 2, 1), nn.GELU(), nn.Conv2d(16, 32, 3, 2, 1), nn.GELU(),
            nn.Conv2d(32, 64, 3, 2, 1), nn.GELU(), nn.Flatten(),
            nn.Linear(64 * 16, 256), nn.GELU(), nn.Linear(256, encoder.shape.projection),
        )  # fmt: skip
        self.local = nn.Linear(encoder.shape.dim, HEIGHT_PATCH**2)

    def forward(
        self, first: Tensor, second: Tensor, description: Tensor, heights: Tensor
    ) -> dict[str, Tensor]:
        """Terms of the loss. Frames ``(B, 3, 64, 64)``, descriptions ``(B, 1, 32, 32)``, heights of both touches."""
        count = len(first)
        tokens = self.encoder.tokens(torch.cat([first, second]))
        index, _ = shown(count, tokens.shape[1])
        half = self.encoder.layers(pick(tokens[:count], index))[-1]
        whole = self.encoder.layers(tokens[count:])[-1]
        a, b = (self.encoder.head(self.encoder.norm(last.mean(1))) for last in (half, whole))
        c = self.describe(description)
        target = patches(heights, HEIGHT_PATCH)
        height = functional.mse_loss(self.local(half), pick(target[:count], index))
        height = (height + functional.mse_loss(self.local(whole), target[count:])) / 2
        return {
            "touch": contrast(a, b),
            "description": (contrast(a, c) + contrast(b, c)) / 2,
            "height": HEIGHT_WEIGHT * height,
        }


class SelfSupervised(nn.Module):
    """Sparsh's place: two touches of one object by one sensor are aligned, hidden patches are reconstructed.

    Neither labels nor geometry are used. Both touches of a pair, and all pairs of a batch, come from the same
    sensor unit, so nothing asks the features to be equal across sensors.
    """

    def __init__(self, encoder: TwinViT) -> None:
        super().__init__()
        self.encoder = encoder
        dim, channels = encoder.shape.dim, encoder.shape.channels
        self.project = nn.ModuleList(
            nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)) for _ in range(2)
        )
        self.hidden = nn.Parameter(torch.zeros(dim))
        self.decoder = Block(dim, encoder.shape.heads, mlp=2)
        self.pixels = nn.Linear(dim, channels * PATCH * PATCH)

    def forward(self, first: Tensor, second: Tensor) -> dict[str, Tensor]:
        """Terms of the loss. Frames ``(B, 6, 64, 64)``."""
        count = len(first)
        tokens = self.encoder.tokens(torch.cat([first, second]))
        index, masked = shown(count, tokens.shape[1])
        half = [self.encoder.norm(x) for x in self.encoder.layers(pick(tokens[:count], index))[-2:]]
        whole = [self.encoder.norm(x) for x in self.encoder.layers(tokens[count:])[-2:]]
        aligned = [
            contrast(project(a.mean(1)), project(b.mean(1)))
            for project, a, b in zip(self.project, half, whole, strict=True)
        ]
        asked = self.encoder.position[masked] + self.hidden
        answered = self.pixels(self.decoder(torch.cat([half[-1], asked], dim=1)))[:, half[-1].shape[1] :]
        target = pick(patches(first, PATCH), masked)
        target = (target - target.mean(2, keepdim=True)) / (target.var(2, keepdim=True) + PATCH_NOISE).sqrt()
        return {
            "earlier block": 0.5 * aligned[0],
            "last block": 0.5 * aligned[1],
            "pixels": PIXEL_WEIGHT * functional.mse_loss(answered, target),
        }
