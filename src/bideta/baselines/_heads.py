"""The one training loop of the trained heads: a small feature module and a linear classifier, encoder frozen.

From the paper's Appendix "Baseline Implementations": AdamW, weight decay 0.0005, at most 300 epochs, 16 sampled
contacts per class and step, class-balanced target sampling, target cross-entropy, source-prototype preservation,
within-class compactness, checkpoint by training loss. What it leaves open is marked *ours*.

An ``Idea`` is what distinguishes the methods: parameters, features of target and source, perhaps one more loss.
Inputs are final readouts in units of their own sensor's spread: with source units for the target, features
arrive mis-scaled and heads collapse. Everything random comes from one generator seeded by ``seed``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Adapter, Infer, Noted, loader
from bideta.baselines._inputs import Floats, Labels, Readouts, Source, Task, require_source
from bideta.baselines._prototypes import one_hot, prototypes
from bideta.baselines._settings import Count, Natural
from bideta.method.readout import Standardizer, standardize

if TYPE_CHECKING:
    from torch import Generator, Tensor

    Parameters = dict[str, Tensor]

LEARNING_RATE = 1e-3  # ours
WEIGHT_DECAY = 5e-4
EPOCHS = 300
# Ours, per epoch. A support of up to 16 contacts per class is one step, and 300 steps in all leave a head half trained:
# on development sensors it gains up to 11 points until 3,000 (docs/notes/comparisons.md).
LEAST_STEPS = 10
PER_CLASS = 16  # drawn with replacement, since a class may have fewer
PRESERVATION = 0.5  # ours, weight of the source prototypes
COMPACTNESS = 0.1  # ours, weight of the within-class compactness
LENGTH_FLOOR = 1e-12  # added to squared lengths; cosines divide by them, and √ has no slope at zero
Preserve = Literal["classify", "pull"]
BOTTLENECK = 128  # ours, "compact feature module"


@dataclass(frozen=True)
class Batch:
    """One step's target contacts, PER_CLASS rows of every class in order of class, and what the source offers."""

    phi: Tensor  # (16C, d) features
    length: Tensor  # (16C, 1) their Euclidean length
    y: Tensor  # (16C,)
    prototypes: Tensor  # (C, d) source class means, in units of the source's spread
    # classes → random source contacts of these classes
    draw_source: Callable[[Tensor], Tensor]
    generator: Generator


@dataclass(frozen=True)
class Idea:
    """What a trained head does differently from the others."""

    init: Callable[[int, Generator], Parameters]  # parameters for features of this width
    features: Callable[[Parameters, Tensor, bool], Tensor]  # (parameters, x, is it source?) → φ(x)
    extra_loss: Callable[[Parameters, Batch], Tensor] | None = None


@dataclass(frozen=True)
class Trained:
    """The parameters of the best epoch, and the mean loss of every epoch."""

    idea: Idea
    parameters: Parameters
    scale: Standardizer
    losses: list[float]
    steps: int  # of the optimiser, all epochs together


def head_loader(info: MethodInfo, idea_of: Callable[[Task], Idea]) -> Callable[..., Adapter]:
    """The ``load`` of a trained head: a plugin says what it does differently, given the contacts."""
    return loader(info, partial(learn_head, info.name, idea_of), scored=True)


def learn_head(
    method: str,
    idea_of: Callable[[Task], Idea],
    task: Task,
    *,
    seed: Natural = 0,
    epochs: Count = EPOCHS,
    least_steps: Count = LEAST_STEPS,
    preserve: Preserve = "classify",
) -> Infer:
    """A head trained on the support; ``preserve`` is one of two readings of "source-prototype preservation".

    "classify": the adapted head must still classify the source prototypes. "pull": target features of a class
    are pulled towards its source prototype.
    """
    idea, source = idea_of(task), require_source(task, method)
    with one_thread():
        trained = train(
            task, source, idea, seed=seed, epochs=epochs, least_steps=least_steps, preserve=preserve
        )
    notes = {"steps": trained.steps, "best_epoch": 1 + trained.losses.index(min(trained.losses))}
    return Noted(partial(infer, trained=trained), notes)


def infer(readouts: Readouts, trained: Trained) -> Floats:
    """Logits of the head on the target features."""
    import torch

    with torch.inference_mode():
        phi = trained.idea.features(trained.parameters, _tensor(trained.scale, readouts[-1]), False)
        logits = _logits(trained.parameters, phi)
    return logits.numpy().astype(np.float64)


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch on one thread: steps this small gain nothing from more, and sums come out the same on any machine.

    Gradients of a head that has learnt its support fall below 1e-38, where arithmetic is many times slower; they
    count as zero here, which is what they amount to.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)


def train(
    task: Task, source: Source, idea: Idea, *, seed: int, epochs: int, least_steps: int, preserve: str
) -> Trained:
    """The epoch of lowest mean training loss."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    H, y, C = task.support.readouts[-1], task.support.y, task.n_classes
    scale = standardize(H)[0]
    X = _tensor(scale, H)
    means = _tensor(source.scale, prototypes(source.readouts[-1], one_hot(source.y, C)))
    contacts = torch.from_numpy(source.standardized)
    labels = torch.arange(C).repeat_interleave(PER_CLASS)
    draw, draw_source = _sampler(y, C, generator), _sampler(source.y, C, generator)

    parameters = idea.init(X.shape[1], generator)
    parameters["head"] = linear(X.shape[1], C, generator)
    parameters["bias"] = torch.zeros(C)
    for p in parameters.values():
        p.requires_grad_(True)
    optimizer = torch.optim.AdamW(
        parameters.values(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY, fused=True
    )
    best: Parameters = {}
    losses: list[float] = []
    steps = max(math.ceil(len(y) / (PER_CLASS * C)), least_steps)
    for _ in range(epochs):
        total = 0.0
        for _ in range(steps):
            rows = draw(labels)
            if len(X) < len(rows):  # contacts are drawn several times: their features are computed once
                phi = idea.features(parameters, X, False)[rows]
            else:
                phi = idea.features(parameters, X[rows], False)
            length = (phi.square().sum(dim=1, keepdim=True) + LENGTH_FLOOR).sqrt()
            batch = Batch(phi, length, labels, means, lambda c: contacts[draw_source(c)], generator)
            loss = _loss(parameters, idea, batch, preserve)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            total += loss.item()
        losses.append(total / steps)
        if not best or losses[-1] == min(losses):
            best = {name: p.detach().clone() for name, p in parameters.items()}
    return Trained(idea, best, scale, losses, steps * len(losses))


def _loss(parameters: Parameters, idea: Idea, batch: Batch, preserve: str) -> Tensor:
    """Cross-entropy + source-prototype preservation + within-class compactness (+ the idea's own)."""
    from torch.nn.functional import cosine_similarity, cross_entropy, normalize

    C = len(batch.prototypes)
    centres = batch.phi.view(C, PER_CLASS, -1).mean(dim=1)  # (C, d)
    loss = cross_entropy(_logits(parameters, batch.phi), batch.y)
    anchors = idea.features(parameters, batch.prototypes, True)
    if preserve == "classify":
        kept = cross_entropy(_logits(parameters, anchors), batch.y[::PER_CLASS])
    else:
        kept = (1 - cosine_similarity(centres, anchors)).mean()
    cosine = own_class(batch.phi @ normalize(centres, dim=1).T / batch.length, batch.y)
    loss = loss + PRESERVATION * kept + COMPACTNESS * (1 - cosine).mean()
    return loss if idea.extra_loss is None else loss + idea.extra_loss(parameters, batch)


def own_class(scores: Tensor, y: Tensor) -> Tensor:
    """(rows,) entry of each row's own class."""
    return scores.gather(1, y[:, None])[:, 0]


def linear(d_in: int, d_out: int, generator: Generator) -> Tensor:
    """(d_in, d_out) weights, uniform within ±1/√d_in as torch's linear layers begin."""
    import torch

    return (2 * torch.rand(d_in, d_out, generator=generator) - 1) / math.sqrt(d_in)


def bottleneck(parameters: Parameters, y: Tensor) -> Tensor:
    """B·GELU(A·y), the residual of every feature module; B starts at zero, so the module starts as identity."""
    from torch.nn.functional import gelu

    return gelu(y @ parameters["A"]) @ parameters["B"]


def init_bottleneck(d: int, generator: Generator) -> Parameters:
    """A and B of ``bottleneck``."""
    import torch

    return {"A": linear(d, BOTTLENECK, generator), "B": torch.zeros(BOTTLENECK, d)}


def _logits(parameters: Parameters, phi: Tensor) -> Tensor:
    return phi @ parameters["head"] + parameters["bias"]


def _sampler(y: Labels, C: int, generator: Generator) -> Callable[[Tensor], Tensor]:
    """For every class in a tensor a random row of that class; rows are sorted by class."""
    import torch

    counts = torch.from_numpy(np.bincount(y, minlength=C))
    starts = torch.cumsum(counts, 0) - counts

    def draw(classes: Tensor) -> Tensor:
        u = torch.rand(len(classes), generator=generator, dtype=torch.float64)
        return starts[classes] + (u * counts[classes]).long()

    return draw


def _tensor(scale: Standardizer, H: Any) -> Tensor:
    import torch

    return torch.from_numpy(np.asarray(scale(H), dtype=np.float32))
