"""A robot's stream: contacts come one at a time, in mixed order, object by object, or all of one object.

Accuracy against contacts seen, beside the memory alone and the answer for the whole stream at once.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import Bideta, presets
from bideta.deploy.online import OnlineBideta
from bideta.protocol.episode import Contacts
from bideta.protocol.experiment import Cell, Experiment, Outcome
from bideta.protocol.experiments._methods import variants_at
from bideta.protocol.experiments._scoring import digest
from bideta.protocol.supply import Supply

LENGTH = 1000  # contacts of the mixed stream: four windows of 256
BUDGETS = ("1%",)
OBJECTS = 5  # one after the other in the bursty stream; with SITR's 200 contacts each it is as long
SINGLE = 3  # objects that get a stream of their own; their answers are averaged
QUICK_PART = 8  # a quick run shortens every stream to an eighth
BIN = 25  # contacts whose answers are averaged into one point of the curve
LATE = 0.25  # share of the stream, from its end, that "late" accuracy looks at

Rows = NDArray[np.int64]
Answers = Callable[[Contacts], NDArray[Any]]  # labels for a stream, in its order


def mixed(query: Contacts, rng: np.random.Generator) -> list[Rows]:
    """Contacts of all classes in random order."""
    return [rng.permutation(len(query))[:LENGTH]]


def bursty(query: Contacts, rng: np.random.Generator) -> list[Rows]:
    """Object after object: all presses of a class, frame by frame, then the next class."""
    classes = rng.permutation(np.unique(query.labels))[:OBJECTS]
    return [np.concatenate([_hold(query, c, rng) for c in classes])]


def single(query: Contacts, rng: np.random.Generator) -> list[Rows]:
    """One object only, several times: each hold is a stream of its own."""
    return [_hold(query, c, rng) for c in rng.permutation(np.unique(query.labels))[:SINGLE]]


def _hold(query: Contacts, label: int, rng: np.random.Generator) -> Rows:
    """All contacts of a class; presses in random order, their frames in the recorded one."""
    chosen = query.labels == label
    presses = rng.permutation(np.unique(query.presses[chosen]))
    return np.concatenate([np.flatnonzero((query.presses == press) & chosen) for press in presses])


def variant(stream: str, strategy: str) -> str:
    """What a record calls a strategy that answers a stream."""
    return f"{stream} | {strategy}"


STREAMS = {"mixed": mixed, "bursty": bursty, "single": single}


def _anchor(adapted: Bideta) -> Answers:
    return lambda stream: adapted.classes_[adapted.infer(stream.readouts).anchor.argmax(axis=1)]


def _batch(adapted: Bideta) -> Answers:
    return lambda stream: adapted.predict(stream.readouts)


def _online(adapted: Bideta, *, corrected: bool = False, **settings: Any) -> Answers:
    def answers(stream: Contacts) -> NDArray[Any]:
        online = OnlineBideta(adapted, **settings)
        labels = []
        for *contact, truth in zip(*stream.readouts, stream.labels, strict=True):
            labels.append(online.predict_one(tuple(contact)).label)
            if corrected and labels[-1] != truth:
                online.learn_one(tuple(contact), truth)
        return np.array(labels)

    return answers


# Name → preset, and how an adapted sensor answers a stream.
STRATEGIES: dict[str, tuple[dict[str, Any], Callable[[Bideta], Answers]]] = {
    "anchor": (presets.CLASSIFICATION, _anchor),
    "batch, paper": (presets.CLASSIFICATION, _batch),
    "online, paper": (presets.CLASSIFICATION, _online),
    "batch": (presets.ROBOT, _batch),
    "online": (presets.ROBOT, _online),
    "online, no reservoir": (presets.ROBOT, lambda adapted: _online(adapted, reservoir=0)),
    "online, corrected": (presets.ROBOT, lambda adapted: _online(adapted, corrected=True)),
}


# Variant of a record → stream and strategy.
VARIANTS = {variant(stream, strategy): (stream, strategy) for stream in STREAMS for strategy in STRATEGIES}


def answer(cell: Cell, supply: Supply) -> Outcome:
    """Accuracy over the whole stream and over its last quarter, and the curve."""
    episode = supply.episode(cell)
    stream, strategy = VARIANTS[cell.variant]
    preset, answering = STRATEGIES[strategy]
    adapted = Bideta(**preset).fit(episode.support.readouts, episode.support.labels)
    rng = np.random.default_rng((cell.seed, zlib.crc32(f"{cell.target}/{stream}".encode())))
    streams = [episode.query[rows] for rows in STREAMS[stream](episode.query, rng)]
    if supply.quick:
        streams = [part[: max(BIN, len(part) // QUICK_PART)] for part in streams]
    answers = answering(adapted)
    labels = [answers(part) for part in streams]
    right = [given == part.labels for given, part in zip(labels, streams, strict=True)]
    late = [hits[-int(np.ceil(LATE * len(hits))) :] for hits in right]
    return Outcome(
        values={
            "accuracy": float(np.concatenate(right).mean()),
            "late": float(np.concatenate(late).mean()),
            "wrong": float(np.concatenate(right).size - np.concatenate(right).sum()),
            "contacts": float(np.concatenate(right).size),
        },
        arrays={"curve": curve(right)},
        settings=dict(preset),
        digest=digest(np.concatenate(labels)),
    )


def curve(right: Sequence[NDArray[np.bool_]]) -> list[float]:
    """Share of right answers in each ``BIN`` of contacts; several streams are averaged place by place."""
    longest = max(map(len, right))
    bins = [np.concatenate([hits[i : i + BIN] for hits in right]) for i in range(0, longest, BIN)]
    return [round(float(part.mean()), 4) for part in bins]


EXPERIMENT = Experiment(
    name="stream",
    roles=("sitr",),
    questions=lambda scope, info: variants_at(VARIANTS, scope.pick_budgets(BUDGETS)),
    answer=answer,
)
