"""Experiments of the paper and beyond: one file each, with an object ``EXPERIMENT``.

``experiments/budgets.py`` is ``bideta bench budgets``. ``FILES`` names the exceptions, and files that begin with an
underscore are not experiments.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache

from bideta.protocol.experiment import Experiment
from bideta.spelling import did_you_mean

GROUPS: dict[str, tuple[str, ...]] = {
    "paper": (
        "motivation",
        "budgets",
        "ranking",
        "shots",
        "ablation",
        "sensitivity-sitr",
        "sensitivity-tacquad",
        "taps",
        "cost",
    ),
    "deploy": ("labelshift", "stream", "openset", "labels", "tune", "fewshot"),
}
FILES = {"labels": "label_choice", "stream": "contact_stream"}  # names that would say too little of a file


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
        hint = did_you_mean(name, choices)
        raise ValueError(f"unknown experiment {name!r}.{hint} Known: {', '.join(choices)}")
    experiment: Experiment = importlib.import_module(f"{__name__}.{file_of(name)}").EXPERIMENT
    return experiment


def expand(asked: Iterable[str]) -> list[Experiment]:
    """The experiments behind names and group names, each once, in the order asked for."""
    flat = dict.fromkeys(name for item in asked for name in GROUPS.get(item, (item,)))
    return [find(name) for name in flat]
