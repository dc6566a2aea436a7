"""Experiments of the paper and beyond: one file each, found by its file name.

``experiments/budgets.py`` with an object ``EXPERIMENT`` is ``bideta bench budgets``; files that begin with an
underscore are not experiments. An experiment lists its cells and measures one of them; engines run the cells, in
any order and on any machine, and records keep what came out.
"""

from __future__ import annotations

import difflib
import importlib
import json
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from bideta.datasets import DatasetInfo

if TYPE_CHECKING:
    from bideta.protocol.supply import Bench

GROUPS: dict[str, tuple[str, ...]] = {
    "paper": (
        "motivation",
        "budgets",
        "ranking",
        "shots",
        "ablation",
        "sensitivity-sitr",
        "sensitivity-tacquad",
        "cost",
    ),
    "deploy": ("labelshift", "stream", "openset", "labels", "tune", "fewshot"),
}
FILES = {"labels": "label_choice", "stream": "contact_stream"}  # names that would say too little of a file
SEEDS = (0, 1, 2)  # the paper's three
QUICK_SEEDS = 2  # of them, the fewest that have a standard deviation
QUICK_TARGETS = 2  # of each dataset


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

    @property
    def key(self) -> str:
        """The same text for the same cell, whatever wrote it."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)

    def __str__(self) -> str:
        parts = (self.experiment, self.dataset, self.encoder, self.target, self.budget, self.method)
        return " ".join([part for part in (*parts, self.variant) if part] + [f"seed {self.seed}"])


@dataclass(frozen=True)
class Outcome:
    """What an experiment measured in one cell."""

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

    def present(self, *roles: str) -> list[tuple[str, DatasetInfo]]:
        """Plugin name and facts of those roles that are in scope."""
        return [
            (self.datasets[role], self.infos[self.datasets[role]]) for role in roles if role in self.datasets
        ]

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

    def pick_methods(self, default: Sequence[str]) -> list[str]:
        """The methods asked for, or the experiment's own."""
        return list(self.methods or default)

    def pick_budgets(self, default: Iterable[str]) -> list[str]:
        """The experiment's budgets, narrowed to those asked for."""
        return [budget for budget in default if not self.budgets or budget in self.budgets]


class Experiment(Protocol):
    """What every experiment offers; a frozen dataclass."""

    @property
    def name(self) -> str:
        """Its name on the command line."""
        ...

    @property
    def title(self) -> str:
        """What it shows, in one line."""
        ...

    @property
    def exclusive(self) -> bool:
        """Whether its cells are timed and must run alone."""
        ...

    def cells(self, scope: Scope) -> list[Cell]:
        """All its cells in this scope, in a fixed order."""
        ...

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """What the cell shows; raises NotAvailableError where a method cannot run on these data."""
        ...


def names() -> list[str]:
    """Names of all experiments, sorted."""
    return sorted(names_in(__path__))


def names_in(path: Iterable[str]) -> list[str]:
    """The experiments that the files of a package are about."""
    named = {file: name for name, file in FILES.items()}
    files = (entry.name for entry in pkgutil.iter_modules(path))
    return [named.get(file, file.replace("_", "-")) for file in files if not file.startswith("_")]


def file_of(name: str) -> str:
    """The module name of an experiment, here and among the sections of the report."""
    return FILES.get(name, name.replace("-", "_"))


@cache
def find(name: str) -> Experiment:
    """The experiment of that name; an unknown name raises an error that lists the known ones."""
    if name not in names():
        choices = [*names(), *GROUPS]
        close = difflib.get_close_matches(name, choices, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"unknown experiment {name!r}.{hint} Known: {', '.join(choices)}")
    experiment: Experiment = importlib.import_module(f"{__name__}.{file_of(name)}").EXPERIMENT
    return experiment


def expand(asked: Iterable[str]) -> list[Experiment]:
    """The experiments behind names and group names, each once, in the order asked for."""
    flat = dict.fromkeys(name for item in asked for name in GROUPS.get(item, (item,)))
    return [find(name) for name in flat]
