"""The words of an experiment: what it asks, of which data (``Scope``), one ``Cell`` and its ``Outcome`` at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from bideta.datasets import DatasetInfo

if TYPE_CHECKING:
    from bideta.protocol.supply import Supply

SEEDS = (0, 1, 2)  # the paper's three
QUICK_SEEDS = 2  # of them, the fewest that have a standard deviation
QUICK_TARGETS = 2  # of each dataset

Question = tuple[str, str, str]  # method, variant, budget


@dataclass(frozen=True, order=True)
class Cell:
    """One unit of work; plain strings and numbers, so that it is JSON and a key."""

    experiment: str
    dataset: str  # plugin name: "simulated-sitr" or "sitr"
    encoder: str  # plugin name: "twin-tvl" or "tvl"
    target: str  # sensor
    method: str  # load_method name
    variant: str = ""  # ablation row, "n_neighbors=40", …
    budget: str = ""  # "5%" or "5-shot"; "0%" where no labelled contact is used
    seed: int = 0

    def __str__(self) -> str:
        parts = (self.experiment, self.dataset, self.encoder, self.target, self.budget, self.method)
        return " ".join([part for part in (*parts, self.variant) if part] + [f"seed {self.seed}"])


@dataclass(frozen=True)
class Outcome:
    """What an experiment found in one cell."""

    values: dict[str, float]  # "accuracy", "macro_f1", "mrr", "r1", … as fractions; times in seconds
    arrays: dict[str, list[Any]] = field(default_factory=dict)  # confusion matrices, curves
    settings: dict[str, Any] = field(default_factory=dict)
    digest: str = ""  # sha256 of the predictions


@dataclass(frozen=True)
class Scope:
    """What was asked for. Empty selections leave the choice to the experiment."""

    datasets: Mapping[str, str]  # role in the paper ("sitr", "tacverse", "tacquad") → plugin name
    infos: Mapping[str, DatasetInfo]  # plugin name → facts
    encoders: tuple[str, ...]
    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = SEEDS
    targets: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()
    quick: bool = False
    without: tuple[str, ...] = ()  # methods that are left out

    def present(self, *roles: str) -> list[tuple[str, DatasetInfo]]:
        """Plugin name and facts of those roles that are in scope."""
        names = [self.datasets[role] for role in roles if role in self.datasets]
        return [(name, self.infos[name]) for name in names]

    def pick_targets(self, info: DatasetInfo, allowed: Sequence[str] | None = None) -> list[str]:
        """Target sensors of a dataset (``allowed``: only these), narrowed to what was asked for.

        A quick run keeps two: the development sensor, where it is among them, and the first other.
        """
        known = list(info.targets if allowed is None else allowed)
        if self.targets:
            return [sensor for sensor in known if sensor in self.targets]
        if self.quick and len(known) > QUICK_TARGETS:
            first = sorted(known, key=lambda sensor: (sensor not in info.development, known.index(sensor)))
            return [sensor for sensor in known if sensor in first[:QUICK_TARGETS]]
        return known

    def pick_test_targets(self, info: DatasetInfo) -> list[str]:
        """Target sensors on which no setting was chosen, narrowed to what was asked for."""
        return self.pick_targets(info, [sensor for sensor in info.targets if sensor not in info.development])

    def pick_methods(self, default: Sequence[str]) -> list[str]:
        """The methods asked for, or the experiment's own."""
        return [method for method in self.methods or default if method not in self.without]

    def pick_budgets(self, default: Iterable[str]) -> list[str]:
        """The experiment's budgets, narrowed to those asked for."""
        return [budget for budget in default if not self.budgets or budget in self.budgets]


def episode_splits(cell: Cell, info: DatasetInfo) -> list[tuple[str, str]]:
    """(sensor, split) pairs that an episode reads: source, labelled contacts, queries."""
    first, last = info.splits[0], info.splits[-1]
    return [(info.source, first), (cell.target, first), (cell.target, last)]


@dataclass(frozen=True)
class Experiment:
    """Questions about every target sensor, repeated for every seed, and how one of them is answered."""

    name: str  # on the command line and in the records
    roles: tuple[str, ...]  # the paper's datasets that it is about
    questions: Callable[[Scope, DatasetInfo], Iterable[Question]]
    answer: Callable[[Cell, Supply], Outcome]  # NotAvailableError where a method cannot run on these data
    targets: Callable[[Scope, DatasetInfo], list[str]] = Scope.pick_targets
    seeds: Callable[[Scope], Sequence[int]] = attrgetter("seeds")
    splits: Callable[[Cell, DatasetInfo], list[tuple[str, str]]] = episode_splits  # what a cell reads
    alone: bool = False  # cells are timed: no other cell may run beside them

    def cells(self, scope: Scope) -> list[Cell]:
        """All cells in this scope, in a fixed order."""
        return [
            Cell(self.name, dataset, encoder, target, method, variant, budget, seed)
            for dataset, info in scope.present(*self.roles)
            for encoder in scope.encoders
            for target in self.targets(scope, info)
            for method, variant, budget in self.questions(scope, info)
            for seed in self.seeds(scope)
        ]
