"""What is asked: one cell per sensor, method, number of labels and draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bideta.protocol.experiment import Cell
from bideta.protocol.quantity_bench import cost, rivals, slip
from bideta.protocol.quantity_bench.sets import TWIN, recorded, twins

QUANTITIES, SLIP, COST = "quantities", "slip", "quantity-cost"
LABELS, QUICK_LABELS = (5, 10, 20, 50, 100, 300), (5, 20)
DRAWS, QUICK_DRAWS = 5, 2
QUICK_TWINS = 2
SLIP_ENCODER = "twin-sparsh"  # stacks two frames


@dataclass(frozen=True)
class Request:
    """What was asked for; empty selections take everything."""

    root: Path | None  # folder of recorded sets; None: twins only
    encoders: tuple[str, ...]
    methods: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    draws: int | None = None
    sensors: tuple[str, ...] = ()
    quick: bool = False

    def __post_init__(self) -> None:
        known = (rivals.OURS, *rivals.RIVALS)
        for name in self.methods:
            if name not in known:
                raise ValueError(f"unknown method {name!r} of bench quantities. Known: {', '.join(known)}")
        if min(self.labels, default=1) < 1:
            raise ValueError(f"labels are {self.labels}, expected at least 1")

    @property
    def seeds(self) -> range:
        """One for each draw."""
        return range(self.draws or (QUICK_DRAWS if self.quick else DRAWS))


def quantity_cells(request: Request) -> list[Cell]:
    """Recorded sets first, then twins; then what it costs."""
    methods = request.methods or (rivals.OURS, *(rivals.QUICK_RIVALS if request.quick else rivals.RIVALS))
    labels = request.labels or (QUICK_LABELS if request.quick else LABELS)
    places = [(name.rpartition("/")[0] or name, name.rpartition("/")[2]) for name in _recorded(request)]
    every = twins()
    places += [
        (TWIN, name) for name in (every[:QUICK_TWINS] if request.quick and not request.sensors else every)
    ]
    wanted = [place for place in places if not request.sensors or place[1] in request.sensors]
    unknown = set(request.sensors) - {sensor for _, sensor in places}
    if unknown:
        raise ValueError(f"unknown sensor {sorted(unknown)[0]!r}. Known: {', '.join(s for _, s in places)}")
    cells = [
        Cell(QUANTITIES, dataset, encoder, sensor, method, "", str(n), seed)
        for dataset, sensor in wanted
        for encoder in request.encoders
        for n in labels
        for seed in request.seeds
        for method in methods
    ]
    sizes = cost.SIZES[:1] if request.quick else cost.SIZES
    return cells + [
        Cell(COST, "random", "", "", rivals.OURS, f"{n} labels, {m} queries, {V} readouts")
        for n, m, V in sizes
    ]


def slip_cells(request: Request) -> list[Cell]:
    """Two frames and one, for every sensor, method, number of labels and draw."""
    known: Sequence[str] = request.sensors or (slip.SENSORS[:1] if request.quick else slip.SENSORS)
    labels = request.labels or (slip.QUICK_LABELS if request.quick else slip.LABELS)
    return [
        Cell(SLIP, TWIN, SLIP_ENCODER, sensor, method, what, str(n), seed)
        for sensor in known
        for n in labels
        for seed in request.seeds
        for method in slip.METHODS
        for what in slip.INPUTS
    ]


def _recorded(request: Request) -> list[str]:
    return [] if request.root is None else list(recorded(request.root))
