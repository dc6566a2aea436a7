"""What is asked of real sets: one cell per split, encoder, number of labels, draw, method and batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bideta.protocol.experiment import Cell
from bideta.protocol.extras import trained_methods
from bideta.protocol.real import batches, methods
from bideta.protocol.real.sets import RealSet
from bideta.protocol.real.splits import Split, splits

EXPERIMENT = "real"
LEAK = "leak"  # the target of cells that ask whether backgrounds tell the classes
LABELS, QUICK_LABELS = (1, 2, 5, 10, 20), (1, 5)
DRAWS, QUICK_DRAWS = 5, 2
TRAINED_DRAWS = 3  # at most, of comparisons that train for ten seconds
# 26 seconds a stream of 37 objects; tim, its sibling, takes 18.
SLOW = (("alpha-tim", batches.ONE_AT_A_TIME),)
QUICK_METHODS = (*methods.PRESETS, "lda", "em-lda")


@dataclass(frozen=True)
class Request:
    """What was asked for; empty selections take everything."""

    encoders: tuple[str, ...]
    methods: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    draws: int | None = None
    batches: tuple[str, ...] = ("balanced",)
    sets: tuple[str, ...] = ()
    leak_free: bool = False  # only splits that the leak cannot flatter
    quick: bool = False
    without_torch: bool = False

    def __post_init__(self) -> None:
        for what, given, known in (
            ("method", self.methods, (*methods.PRESETS, *methods.comparisons())),
            ("batch", self.batches, batches.NAMES),
        ):
            for name in given:
                if name not in known:
                    raise ValueError(f"unknown {what} {name!r} of bench real. Known: {', '.join(known)}")
        if min(self.labels, default=1) < 1 or (self.draws is not None and self.draws < 1):
            raise ValueError(f"labels are {self.labels}, draws {self.draws}; expected at least 1")


def find_split(cell: Cell, sets: Mapping[str, RealSet]) -> Split:
    """The split that a cell is about."""
    return next(
        split for split in splits(sets) if (split.asked.name, split.name) == (cell.dataset, cell.target)
    )


def make_cells(request: Request, sets: Mapping[str, RealSet]) -> list[Cell]:
    """All cells in a fixed order: backgrounds first, then splits free of the leak, then the others."""
    for name in request.sets:
        if name not in sets:
            raise ValueError(f"unknown set {name!r}. Known: {', '.join(sets)}")
    asked = [name for name in sets if not request.sets or name in request.sets]
    wanted = [
        split
        for split in splits(sets)
        if split.asked.name in asked and (split.leak_free or not request.leak_free)
    ]
    cells = [
        Cell(EXPERIMENT, name, encoder, LEAK, "lda", sees(sets[name]))
        for name in asked
        if sets[name].backgrounds() is not None
        for encoder in request.encoders
    ]
    for split in wanted:
        for encoder in request.encoders:
            cells += _of(split, encoder, request)
    return cells


def sees(recording: RealSet) -> str:
    """From which frames the leak of a set is measured."""
    return "first frames" if recording.untouched is None else "untouched frames"


def _of(split: Split, encoder: str, request: Request) -> list[Cell]:
    if split.source:
        unchanged = Cell(
            EXPERIMENT, split.asked.name, encoder, split.name, methods.SOURCE, "balanced", "0-shot", 0
        )
        return [unchanged, *_taught(split, encoder, request, ("balanced",))]
    return _taught(split, encoder, request, request.batches)


def _taught(split: Split, encoder: str, request: Request, variants: Sequence[str]) -> list[Cell]:
    """Cells of methods that are taught labelled contacts."""
    usual = methods.answering(split.source)
    wanted = request.methods or (QUICK_METHODS if request.quick else usual)
    return [
        Cell(EXPERIMENT, split.asked.name, encoder, split.name, method, batch, f"{n}-shot", seed)
        for n in request.labels or (QUICK_LABELS if request.quick else LABELS)
        for seed in range(request.draws or (QUICK_DRAWS if request.quick else DRAWS))
        for method in usual
        if method in wanted and _has_time(method, encoder, seed, request)
        for batch in variants
        if (method, batch) not in SLOW or method in request.methods
    ]


def _has_time(method: str, encoder: str, seed: int, request: Request) -> bool:
    """Whether a method is measured in this draw: one that trains for seconds only in a few, unless it was named."""
    if method not in trained_methods():
        return True
    few = seed < TRAINED_DRAWS and encoder == request.encoders[0]
    return not request.without_torch and (few or method in request.methods)
