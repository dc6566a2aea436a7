"""Weight files in the released layouts, with random numbers inside; nobody's real cache is touched."""

from __future__ import annotations

import argparse
import contextlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Arrays = dict[str, NDArray[np.float32]]
DIM, DEPTH = 384, 12


@pytest.fixture(autouse=True)
def weights_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "weights"
    folder.mkdir()
    monkeypatch.setenv("BIDETA_WEIGHTS", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return folder


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # import raises ModuleNotFoundError


@pytest.fixture(scope="session")
def frames() -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (2, 90, 120, 3), dtype=np.uint8)


def block_shapes(prefix: str, layer_scale: bool) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    for norm in ("norm1", "norm2"):
        shapes |= {f"{prefix}{norm}.weight": (DIM,), f"{prefix}{norm}.bias": (DIM,)}
    for layer, outputs, inputs in (
        ("attn.qkv", 3 * DIM, DIM), ("attn.proj", DIM, DIM), ("mlp.fc1", 4 * DIM, DIM), ("mlp.fc2", DIM, 4 * DIM),
    ):  # fmt: skip
        shapes |= {f"{prefix}{layer}.weight": (outputs, inputs), f"{prefix}{layer}.bias": (outputs,)}
    if layer_scale:
        shapes |= {f"{prefix}ls1.gamma": (DIM,), f"{prefix}ls2.gamma": (DIM,)}
    return shapes


def drawn(shapes: dict[str, tuple[int, ...]], seed: int) -> Arrays:
    """Random numbers of sensible size: factors around one, the rest around zero."""
    rng = np.random.default_rng(seed)
    arrays = {}
    for key, shape in shapes.items():
        factor = ("norm" in key and key.endswith("weight")) or key.endswith("gamma")
        values = rng.standard_normal(shape, dtype=np.float32) * np.float32(0.2 if factor else 0.04)
        arrays[key] = values + np.float32(1 if factor else 0)
    return arrays


@pytest.fixture(scope="session")
def tvl_arrays() -> Arrays:
    shapes: dict[str, tuple[int, ...]] = {"cls_token": (1, 1, DIM), "pos_embed": (1, 197, DIM)}
    shapes |= {"patch_embed.proj.weight": (DIM, 3, 16, 16), "patch_embed.proj.bias": (DIM,)}
    for i in range(DEPTH):
        shapes |= block_shapes(f"blocks.{i}.", layer_scale=False)
    shapes |= {
        "fc_norm.weight": (DIM,),
        "fc_norm.bias": (DIM,),
        "head.weight": (768, DIM),
        "head.bias": (768,),
    }
    return drawn(shapes, 1)


@pytest.fixture(scope="session")
def sparsh_arrays() -> Arrays:
    shapes: dict[str, tuple[int, ...]] = {"register_tokens": (1, 1, DIM)}
    shapes |= {"patch_embed.proj.weight": (DIM, 6, 16, 16), "patch_embed.proj.bias": (DIM,)}
    for i in range(DEPTH):
        shapes |= block_shapes(f"blocks.{i}.", layer_scale=True)
    arrays = drawn(shapes | {"norm.weight": (DIM,), "norm.bias": (DIM,)}, 2)
    bands = (10000.0 ** -np.linspace(0, 1, 97)[:96]).astype(np.float32)
    return arrays | {"pos_embed.frequency_bands": np.stack([bands, bands])}


@pytest.fixture(scope="session")
def tvl_pth(tvl_arrays: Arrays, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `main_pretrain.py` of TVL saves it: optimiser, scaler and an argparse.Namespace beside the network."""
    torch = pytest.importorskip("torch", reason="TVL is run by torch")
    path = tmp_path_factory.mktemp("tvl") / "tvl_enc_vits.pth"
    network = {f"tactile_encoder.{key}": torch.from_numpy(value) for key, value in tvl_arrays.items()}
    torch.save(
        {
            "model": network | {"logit_scale": torch.tensor(2.66)},
            "optimizer": {"state": {0: {"step": torch.tensor(3.0)}}, "param_groups": [{"lr": 1e-4}]},
            "epoch": 199,
            "scaler": {"scale": 65536.0},
            "args": argparse.Namespace(lr=1e-4, datasets=["ssvtp", "hct"]),
        },
        path,
    )  # fmt: skip
    return path


@pytest.fixture(scope="session")
def sparsh_safetensors(sparsh_arrays: Arrays, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from safetensors.numpy import save_file

    path = tmp_path_factory.mktemp("sparsh") / "dino_vitsmall.safetensors"
    save_file(sparsh_arrays, path)
    return path


@pytest.fixture(scope="session")
def sparsh_ckpt(sparsh_arrays: Arrays, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As Sparsh's trainer saves it, with a scheduler of a class that is not installed here."""
    torch = pytest.importorskip("torch", reason="Sparsh is run by torch")
    path = tmp_path_factory.mktemp("sparsh") / "dino_vitsmall.ckpt"
    teacher = {
        f"teacher_encoder.backbone.{key}": torch.from_numpy(value) for key, value in sparsh_arrays.items()
    }
    student = {"student_encoder.backbone.norm.weight": torch.zeros(DIM)}
    with foreign_class("tactile_ssl.model.custom_scheduler", "CosineWDSchedule") as schedule:
        scheduler = schedule()
        scheduler.T_max, scheduler.groups = 100, [{"lr": 1e-4}]
        torch.save(
            {
                "model": student | teacher | {"teacher_encoder.dino_head.mlp.0.weight": torch.zeros(2, 2)},
                "optim": {"state": {}, "param_groups": []},
                "scheduler": {"last_epoch": 7},
                "wd_scheduler": scheduler,
                "global_step": 7,
                "current_epoch": 1,
            },
            path,
        )
    return path


@contextlib.contextmanager
def foreign_class(module: str, name: str) -> Iterator[Any]:
    """Inside the block a class of that module exists and can be pickled; afterwards nobody can import it."""
    packages = [module.rsplit(".", depth)[0] for depth in range(module.count(".") + 1)]
    for package in packages:
        sys.modules[package] = types.ModuleType(package)
    made = type(name, (), {"__module__": module})
    setattr(sys.modules[module], name, made)
    try:
        yield made
    finally:
        for package in packages:
            del sys.modules[package]
