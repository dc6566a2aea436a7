"""A network is filled strictly: a file that does not fit is refused with a readable difference."""

from __future__ import annotations

import pytest

from bideta.encoders import tvl
from bideta.encoders.checkpoints.release import Release

torch = pytest.importorskip("torch", reason="networks are filled by torch (extra torch)")

from bideta.encoders.checkpoints.filling import load_strictly  # noqa: E402
from bideta.encoders.checkpoints.keys import CheckpointError, listed  # noqa: E402
from bideta.encoders.networks.released import Shape, SparshNetwork, TvlNetwork  # noqa: E402

SMALL = Shape(channels=6, dim=16, depth=3, heads=2, size=32, projection=8)
RELEASE = Release("small", "somebody/small", ("small.ckpt",), ("teacher.", ""), "CC0")


def test_the_difference_is_grouped_and_says_what_the_file_is() -> None:
    state = {
        k: v
        for k, v in SparshNetwork(SMALL).state_dict().items()
        if "gamma" not in k and k != "register_tokens"
    }
    state |= {"cls_token": torch.zeros(1, 1, 16), "patch_embed.proj.weight": torch.zeros(16, 3, 16, 16)}
    with pytest.raises(CheckpointError) as error:
        load_strictly(SparshNetwork(SMALL), state, RELEASE, "mae.ckpt")
    message = str(error.value)
    assert "mae.ckpt does not fit 'small'" in message
    assert "missing (7): blocks.{0-2}.ls1.gamma, blocks.{0-2}.ls2.gamma, register_tokens" in message
    assert "unexpected (1): cls_token" in message
    assert "patch_embed.proj.weight is (16, 3, 16, 16), expected (16, 6, 16, 16)" in message
    assert "3 channels, 3 blocks, cls_token" in message
    assert "Pass weights= the file small.ckpt or small.safetensors of somebody/small" in message


def test_long_differences_are_shortened() -> None:
    assert listed(f"k{i}" for i in range(20)).endswith("and 12 more")


def test_a_larger_variant_is_recognised() -> None:
    state = {key: torch.zeros(1) for key in TvlNetwork(SMALL).state_dict()}
    state["patch_embed.proj.weight"] = torch.zeros(768, 3, 16, 16)
    with pytest.raises(CheckpointError, match=r"The file holds a ViT-Base \(width 768, 3 channels"):
        load_strictly(TvlNetwork(SMALL), state, tvl.RELEASE, "tvl_enc_vitb.pth")
