"""The training loop: cosine schedule over a time budget, checkpoints, loss curve, a probe now and then."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from torch import Tensor, nn

from bideta.encoders.networks.embedded import TwinViT
from bideta.encoders.runners.preprocessing import Preprocessing
from bideta.sim import SensorDesign
from training import checkpoint, curve, probe
from training.data import Pairs, pairs, varied

LEARNING_RATE, WEIGHT_DECAY, WARM_UP, CLIP = 1e-3, 0.05, 0.03, 1.0
LOG_EVERY = 20  # steps that one point of the loss curve is the mean of
SAVE_SECONDS = 120.0
PROBES = 8  # over the whole run


@dataclass(frozen=True)
class Recipe:
    """One encoder's training."""

    name: str
    preprocessing: Preprocessing
    sensors: tuple[SensorDesign, ...]  # taken in turn, one per batch
    build: Callable[[], nn.Module]  # the objective, holding its ``encoder``
    described: bool  # whether descriptions and heights are given to the objective
    pairs: int = 64  # objects per batch


def learning_rate(progress: float) -> float:
    """Linear warm-up, then half a cosine down to zero; ``progress`` in 0..1."""
    if progress < WARM_UP:
        return LEARNING_RATE * max(progress / WARM_UP, 1e-3)
    return LEARNING_RATE * 0.5 * (1 + math.cos(math.pi * min(1.0, (progress - WARM_UP) / (1 - WARM_UP))))


def inputs(recipe: Recipe, batch: Pairs, rng: np.random.Generator) -> list[Tensor]:
    """What the objective takes: varied and normalised frames, then descriptions and heights if it uses them."""
    touches = [
        normalised(recipe.preprocessing, varied(frames, rng)) for frames in (batch.first, batch.second)
    ]
    targets = [torch.from_numpy(batch.description), torch.from_numpy(batch.heights)]
    return [*touches, *targets] if recipe.described else touches


def normalised(preprocessing: Preprocessing, scaled: np.ndarray[Any, Any]) -> Tensor:
    """Mean and standard deviation of the encoder's own preprocessing, on frames in [0, 1]."""
    frames = torch.from_numpy(scaled)
    if preprocessing.mean is None or preprocessing.std is None:
        return frames
    mean, std = (torch.tensor(values)[:, None, None] for values in (preprocessing.mean, preprocessing.std))
    return (frames - mean) / std


def train(
    recipe: Recipe, out: Path, *, seed: int, minutes: float, steps: int | None = None, resume: bool = False
) -> tuple[TwinViT, dict[str, Any]]:
    """The trained encoder and the record of its training; ``steps`` makes the schedule independent of the clock."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    model = recipe.build()
    optimizer = torch.optim.AdamW(groups(model), lr=LEARNING_RATE, betas=(0.9, 0.98))
    state: dict[str, Any] = {"step": 0, "wall": 0.0, "cpu": 0.0, "seed": seed, "history": [], "probes": []}
    if resume:
        state = checkpoint.load(out, model, optimizer)
        if state["seed"] != seed:
            raise ValueError(
                f"the checkpoint in {out} has seed {state['seed']}, not {seed}; pass --seed {state['seed']}"
            )
    run = _Run(recipe, out, model, optimizer, state, minutes * 60, steps)
    with Progress(
        TextColumn(recipe.name), BarColumn(), TextColumn("{task.percentage:.1f}% {task.description}"),
        TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True),
    ) as bar:  # fmt: skip
        task = bar.add_task("", total=1.0)
        while run.progress() < 1:
            loss = run.step()
            bar.update(task, completed=run.progress(), description=f"step {state['step']} loss {loss:.3f}")
    run.save(final=True)
    encoder = model.encoder
    assert isinstance(encoder, TwinViT)
    return encoder.eval(), state


def groups(model: nn.Module) -> list[dict[str, Any]]:
    """Matrices and kernels decay; biases and norms do not."""
    decayed = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0.0}]


class _Run:
    """A run under way: one step at a time, with its clock, its curve and its checkpoints."""

    def __init__(
        self, recipe: Recipe, out: Path, model: nn.Module, optimizer: torch.optim.Optimizer,
        state: dict[str, Any], seconds: float, steps: int | None,
    ) -> None:  # fmt: skip
        self.recipe, self.out, self.model, self.optimizer = recipe, out, model, optimizer
        self.state, self.seconds, self.steps = state, seconds, steps
        self.recent: list[dict[str, float]] = []
        self.clock = (time.monotonic() - state["wall"], time.process_time() - state["cpu"])
        self.saved = time.monotonic()
        self.test = probe.unseen_objects(state["seed"], recipe.sensors[0])

    def progress(self) -> float:
        """0 at the start, 1 at the end."""
        self.state["wall"] = time.monotonic() - self.clock[0]
        self.state["cpu"] = time.process_time() - self.clock[1]
        return float(self.state["step"] / self.steps if self.steps else self.state["wall"] / self.seconds)

    def step(self) -> float:
        """One batch; returns its loss."""
        state, progress = self.state, self.progress()
        if len(state["probes"]) <= progress * PROBES:
            self.probe()
        rng = np.random.default_rng([state["seed"], state["step"]])
        torch.manual_seed(int(rng.integers(2**31)))  # the shown tokens
        sensors: Sequence[SensorDesign] = self.recipe.sensors
        sensor = sensors[state["step"] % len(sensors)]
        batch = pairs(rng, sensor, self.recipe.pairs, self.recipe.preprocessing.channels)
        self.model.train()
        terms: dict[str, Tensor] = self.model(*inputs(self.recipe, batch, rng))
        loss = torch.stack(list(terms.values())).sum()
        if not torch.isfinite(loss):
            raise FloatingPointError(
                f"the loss is {loss.item()} at step {state['step']}; resume with a lower rate"
            )
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(progress)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        self.optimizer.step()
        state["step"] += 1
        self.recent.append({name: term.item() for name, term in terms.items()})
        if len(self.recent) == LOG_EVERY:
            self.log()
        if time.monotonic() - self.saved > SAVE_SECONDS:
            self.save()
        return float(loss.item())

    def log(self) -> None:
        """One point of the loss curve."""
        means = {name: float(np.mean([row[name] for row in self.recent])) for name in self.recent[0]}
        point = {"step": self.state["step"], "loss": sum(means.values()), "terms": means}
        self.state["history"].append(point)
        self.recent = []

    def probe(self) -> None:
        """Accuracy on unseen random objects of the first sensor."""
        frames, labels, held_out = self.test
        encoder = self.model.encoder
        assert isinstance(encoder, TwinViT)
        encoder.eval()
        with torch.inference_mode():
            parts = [
                encoder(torch.from_numpy(self.recipe.preprocessing(frames[i : i + 64])))
                for i in range(0, len(frames), 64)
            ]
        readouts = [torch.cat([part[i] for part in parts]).numpy() for i in (0, 1)]
        train, test = ([readout[rows] for readout in readouts] for rows in (~held_out, held_out))
        score = probe.accuracy(train, labels[~held_out], test, labels[held_out])
        self.state["probes"].append({"step": self.state["step"], "accuracy": score})

    def save(self, final: bool = False) -> None:
        """Checkpoint and loss curve."""
        probed = self.state["probes"][-1]["step"] if self.state["probes"] else None
        if final and probed != self.state["step"]:
            self.probe()
        checkpoint.save(self.out, self.model, self.optimizer, self.state)
        history, probes = self.state["history"], self.state["probes"]
        checkpoint.write_json(self.out / "curve.json", {"loss": history, "probe": probes})
        if history:
            title = f"{self.recipe.name}: training on simulated frames"
            curve.draw(history, probes, title, self.out / "curve.png")
        self.saved = time.monotonic()
