"""Checkpoints: weights and optimiser state as safetensors, everything else as JSON, replaced atomically."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

STATE = "checkpoint.json"  # names the weights file it belongs to; replaced last


def write_json(path: Path, content: Any) -> None:
    """JSON that is either the old or the new content, never half of it."""
    temporary = path.with_suffix(path.suffix + ".part")
    temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def save(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Write a checkpoint; the one before is removed once the new one is complete."""
    tensors = {f"model.{name}": value.contiguous() for name, value in model.state_dict().items()}
    for number, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": value for name, value in moments.items()}
    name = f"checkpoint-{state['step']}.safetensors"
    temporary = folder / (name + ".part")
    save_file(tensors, temporary)
    os.replace(temporary, folder / name)
    write_json(folder / STATE, {**state, "weights": name})
    for old in folder.glob("checkpoint-*.safetensors"):
        if old.name != name:
            old.unlink()


def load(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Put a checkpoint back into model and optimiser; returns what was passed to `save`."""
    path = folder / STATE
    if not path.is_file():
        raise FileNotFoundError(f"nothing to resume: {path} does not exist; start without --resume")
    state: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    tensors = load_file(folder / state.pop("weights"))
    model.load_state_dict({k.removeprefix("model."): v for k, v in tensors.items() if k.startswith("model.")})
    moments: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        if key.startswith("optimizer."):
            _, number, name = key.split(".")
            moments.setdefault(int(number), {})[name] = value
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": moments, "param_groups": groups})
    return state
