"""What is asked of real sets: one cell per split, encoder, method, batch, number of labels and draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bideta.protocol.experiment import Cell
from bideta.protocol.real import batches, methods
from bideta.protocol.real.sets import RealSet
from bideta.protocol.real.splits import Split, splits

EXPERIMENT = "real"
LEAK = "leak"  # the target of cells that ask whether backgrounds tell the classes
LABELS, QUICK_LABELS = (1, 2, 5, 10, 20), (1, 5)
DRAWS, QUICK_DRAWS = 5, 2
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

    def __post_init__(self) -> None:
        for what, given, known in (
            ("method", self.methods, methods.EVERY),
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
        return [
            Cell(EXPERIMENT, split.asked.name, encoder, split.name, methods.SOURCE, "balanced", "0-shot", 0)
        ]
    chosen: Sequence[str] = request.methods or (QUICK_METHODS if request.quick else methods.EVERY)
    return [
        Cell(EXPERIMENT, split.asked.name, encoder, split.name, method, batch, f"{n}-shot", seed)
        for n in request.labels or (QUICK_LABELS if request.quick else LABELS)
        for batch in request.batches
        for seed in range(request.draws or (QUICK_DRAWS if request.quick else DRAWS))
        for method in chosen
    ]
