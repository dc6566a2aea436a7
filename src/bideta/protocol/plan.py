"""What was asked for → a plan: the cells, and the datasets and encoders that they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bideta.datasets import DatasetInfo
from bideta.plugins import find, load_dataset, names
from bideta.protocol.deferred_encoder import DeferredEncoder, defer_encoder, reading_settings
from bideta.protocol.draw import SHOTS, UNLABELLED
from bideta.protocol.experiment import QUICK_SEEDS, SEEDS, Cell, Experiment, Scope
from bideta.protocol.experiments import expand
from bideta.protocol.extras import trained_methods
from bideta.protocol.supply import Supply

ROLES = ("sitr", "tacverse", "tacquad")  # the paper's three datasets
REAL = {role: role for role in ROLES}
TAPS = (
    "sitr-taps",
    "tacverse-taps",
)  # ours: twins touched by single taps, for the experiment that asks for them
SIMULATED = {role: f"simulated-{role}" for role in (*ROLES, *TAPS)}
ENCODERS = {"simulated": ("twin-tvl", "twin-sparsh"), "real": ("tvl", "sparsh")}
QUICK_SCALE = 0.1  # of the twin's frames


@dataclass(frozen=True)
class Request:
    """What was asked for, as on the command line; empty means: the experiment's own choice."""

    dataset: str = "simulated"  # "simulated", "real", or a plugin's name
    roots: tuple[str, ...] = ()  # DIR, or name=DIR
    encoders: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    targets: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()
    scale: float | None = None
    difficulty: str | None = None
    quick: bool = False
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # plugin → its settings
    without_torch: bool = False  # leave out the methods that train with torch


@dataclass(frozen=True)
class Plan:
    """All cells of a request, and what is needed to run them."""

    scope: Scope
    experiments: tuple[Experiment, ...]
    datasets: Mapping[str, Mapping[str, Any]]  # plugin → settings
    encoders: Mapping[str, Mapping[str, Any]]
    scale: float

    def cells(self) -> list[Cell]:
        """Every cell once, experiment by experiment."""
        cells = (cell for experiment in self.experiments for cell in experiment.cells(self.scope))
        return list(dict.fromkeys(cells))

    def supply(self, cache: Path | None) -> Supply:
        """What the cells work on; every encoder is opened once, for its fingerprint."""
        encoders: dict[str, DeferredEncoder] = {}
        resized: dict[tuple[str, str], DeferredEncoder] = {}
        for name, given in self.encoders.items():
            opened: dict[str, DeferredEncoder] = {}  # by the way of resizing
            for dataset, info in self.scope.infos.items():
                settings = reading_settings(name, given, info)
                way = str(settings.get("resize"))
                if way not in opened:
                    opened[way] = defer_encoder(name, settings)
                resized[name, dataset] = opened[way]
            encoders[name] = next(iter(opened.values()))
        infos = dict(self.scope.infos)
        return Supply(self.datasets, encoders, cache, self.scope.quick, resized, infos=infos)

    def facts(self, supply: Supply) -> dict[str, Any]:
        """What the numbers depend on, for run.json."""
        return {
            "datasets": {
                name: {
                    "settings": dict(settings),
                    "simulated": self.scope.infos[name].simulated,
                    "assumed": self.scope.infos[name].assumed,
                }
                for name, settings in self.datasets.items()
            },
            "encoders": {
                name: {"settings": dict(self.encoders[name]), "fingerprint": encoder.fingerprint}
                for name, encoder in supply.encoders.items()
            },
            # The same networks, where a dataset's pictures are resized in their own way.
            "readings": {
                f"{name} on {dataset}": {"settings": encoder.settings, "fingerprint": encoder.fingerprint}
                for (name, dataset), encoder in supply.resized.items()
                if "resize" in encoder.settings
            },
            "scale": self.scale,
            "quick": self.scope.quick,
        }


def make_plan(asked: Iterable[str], request: Request) -> Plan:
    """The plan of these experiments; opens the datasets (which reads no picture), not the encoders."""
    experiments = tuple(expand(asked))
    named = {role for experiment in experiments for role in experiment.roles}
    roles = {role: plugin for role, plugin in _roles(request).items() if role in named or role not in TAPS}
    settings = _dataset_settings(roles, request)
    infos = {plugin: load_dataset(plugin, **settings[plugin]).info for plugin in roles.values()}
    roles = {_role(role, infos[plugin]): plugin for role, plugin in roles.items()}
    simulated = all(info.simulated for info in infos.values())
    encoders = request.encoders or ENCODERS["simulated" if simulated else "real"]
    _check_selection(request, infos, encoders)
    scope = Scope(
        roles,
        infos,
        tuple(encoders),
        request.methods,
        request.seeds or (SEEDS[:QUICK_SEEDS] if request.quick else SEEDS),
        request.targets,
        request.budgets,
        request.quick,
        trained_methods() if request.without_torch else (),
    )
    chosen = {name: dict(request.settings.get(name.partition(":")[0], {})) for name in encoders}
    scales = {float(values.get("scale", 1.0)) for values in settings.values()}
    return Plan(scope, experiments, settings, chosen, min(scales))


def _roles(request: Request) -> dict[str, str]:
    if request.dataset == "simulated":
        return dict(SIMULATED)
    if request.dataset == "real":
        named = [root.partition("=")[0] for root in request.roots if _is_named(root)]
        return {role: plugin for role, plugin in REAL.items() if not named or role in named}
    find("dataset", request.dataset)  # an unknown name is refused here
    return {request.dataset.partition(":")[0].removeprefix("simulated-"): request.dataset}


def _role(role: str, info: DatasetInfo) -> str:
    """The dataset's part in the paper; another one takes SITR's part, or TacQuad's where its task is ranking."""
    if role in (*ROLES, *TAPS):
        return role
    return "tacquad" if info.task == "ranking" else "sitr"


def _dataset_settings(roles: Mapping[str, str], request: Request) -> dict[str, dict[str, Any]]:
    simulated = all(plugin.startswith("simulated-") for plugin in roles.values())
    if not simulated and (request.scale is not None or request.difficulty is not None):
        raise ValueError("--scale and --difficulty belong to simulated datasets; leave them out")
    if simulated and request.roots:
        raise ValueError(
            f"--root is {request.roots[0]!r}, but simulated datasets need no folder; leave it out"
        )
    made: dict[str, Any] = {}
    if simulated:
        made["scale"] = request.scale or (QUICK_SCALE if request.quick else 1.0)
        if request.difficulty is not None:
            made["difficulty"] = request.difficulty
    settings = {
        plugin: {**made, **request.settings.get(plugin.partition(":")[0], {})} for plugin in roles.values()
    }
    for role, root in _homes(roles, request.roots, request.dataset == "real").items():
        settings[roles[role]]["root"] = root
    return settings


def _homes(roles: Mapping[str, str], roots: Sequence[str], real: bool) -> dict[str, str]:
    """Role → its folder: DIR/sitr, DIR/tacverse, DIR/tacquad of one DIR, or as named by sitr=DIR."""
    homes: dict[str, str] = {}
    for root in roots:
        name, _, folder = root.partition("=") if _is_named(root) else ("", "", root)
        if name:
            if name not in roles:
                raise ValueError(
                    f"--root {root}: unknown dataset {name!r}, expected one of {', '.join(roles)}"
                )
            homes[name] = folder
        elif real:
            homes |= {role: str(Path(folder) / role) for role in roles}
        else:
            homes |= dict.fromkeys(roles, folder)
    if real and not homes:
        raise ValueError(
            "--dataset real needs --root DIR, a folder with sitr/, tacverse/ and tacquad/ inside, or --root sitr=DIR "
            "for each; see bideta help data"
        )
    for role, folder in homes.items():
        if not Path(folder).is_dir():
            raise FileNotFoundError(
                f"{role}: no folder {folder}; name the datasets you have as --root {role}=DIR; see bideta help data"
            )
    return homes


def _is_named(root: str) -> bool:
    return root.partition("=")[0] in (*ROLES, *names("dataset")) and "=" in root


def _check_selection(request: Request, infos: Mapping[str, DatasetInfo], encoders: Sequence[str]) -> None:
    """Refuse names that no cell could have, before any work is done."""
    for name in encoders:
        find("encoder", name)
    for name in request.methods:
        find("method", name)
    sensors = {s for info in infos.values() for s in (*info.targets, *info.development, info.source)}
    _refuse_unknown("--target", request.targets, sensors)
    budgets = {budget for info in infos.values() for budget in info.budgets}
    shots = [budget for budget in request.budgets if budget.endswith(SHOTS)]
    _refuse_unknown("--budget", request.budgets, {*budgets, *shots, UNLABELLED})
    known = {*infos, *encoders, *(name.partition(":")[0] for name in encoders)}
    _refuse_unknown("--set", tuple(request.settings), known)


def _refuse_unknown(option: str, values: Iterable[str], known: set[str]) -> None:
    for value in values:
        if value not in known:
            raise ValueError(f"{option} is {value!r}, expected one of {', '.join(sorted(known))}")
