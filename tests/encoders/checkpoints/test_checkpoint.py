"""Weight files → tensors: converted once, made again when damaged, refused where the encoder is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bideta.encoders.checkpoints.folders import sha256_of
from bideta.encoders.checkpoints.release import Release

torch = pytest.importorskip("torch", reason="checkpoints are read by torch (extra torch)")

from bideta.encoders.checkpoints import checkpoint  # noqa: E402
from bideta.encoders.checkpoints.checkpoint import encoder_tensors, flat  # noqa: E402
from bideta.encoders.checkpoints.keys import CheckpointError  # noqa: E402
from bideta.encoders.networks.released import Shape, SparshNetwork  # noqa: E402

SMALL = Shape(channels=6, dim=16, depth=3, heads=2, size=32, projection=8)
RELEASE = Release("small", "somebody/small", ("small.ckpt",), ("teacher.", ""), "CC0")


def small_state() -> dict[str, Any]:
    return SparshNetwork(SMALL).state_dict()


def test_a_checkpoint_is_converted_once_and_remembers_its_source(
    tmp_path: Path, weights_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "small.ckpt"
    torch.save({"model": {f"module.teacher.{k}": v for k, v in small_state().items()}}, path)
    first = encoder_tensors(path, sha256_of(path), RELEASE)
    (converted,) = (weights_folder / "converted").iterdir()
    assert converted.name == f"small-{sha256_of(path)[:16]}.safetensors"
    assert checkpoint._remembered(converted) == sha256_of(path)
    monkeypatch.setattr(checkpoint, "read", lambda path: pytest.fail("read again"))
    again = encoder_tensors(path, sha256_of(path), RELEASE)
    assert first.keys() == again.keys()
    assert all(torch.equal(first[key], again[key]) for key in first)


def test_a_damaged_conversion_is_made_again(tmp_path: Path, weights_folder: Path) -> None:
    path = tmp_path / "small.ckpt"
    torch.save(small_state(), path)
    encoder_tensors(path, sha256_of(path), RELEASE)
    (converted,) = (weights_folder / "converted").iterdir()
    converted.write_bytes(b"torn")
    assert encoder_tensors(path, sha256_of(path), RELEASE).keys() == small_state().keys()
    assert converted.stat().st_size > 100


def test_a_file_without_the_encoder_lists_what_it_has() -> None:
    with pytest.raises(CheckpointError, match=r"no key teacher.patch_embed.*among 1 tensors \(fc.weight\)"):
        checkpoint.mapped({"fc.weight": torch.zeros(1)}, RELEASE, "other.pth")
    assert flat([1]) == {}
    with pytest.raises(CheckpointError, match="among 0 tensors"):
        checkpoint.mapped(flat({"model": 3}), RELEASE, "other.pth")


def test_a_storage_under_many_names_is_not_copied_into_the_cache(
    tmp_path: Path, weights_folder: Path
) -> None:
    path, whole = tmp_path / "small.ckpt", torch.zeros(10_000)
    torch.save({"patch_embed.proj.weight": whole, **{f"w{i}": whole for i in range(100)}}, path)
    with pytest.raises(CheckpointError, match="the same numbers again and again"):
        encoder_tensors(path, sha256_of(path), RELEASE)
    assert not list(weights_folder.rglob("*.safetensors"))
