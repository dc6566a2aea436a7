"""Experiments of the paper and beyond, resumable, on one machine or a cluster."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from bideta.cli._bench_quantities import EXPERIMENTS as QUANTITY_EXPERIMENTS
from bideta.cli._bench_quantities import bench_quantities
from bideta.cli._bench_real import DEFAULT_ENCODERS, bench_real
from bideta.cli._settings import plugin_settings
from bideta.cli._typed import shown_command
from bideta.encoders.runners.threads import cores
from bideta.images.reading import shown
from bideta.protocol import records
from bideta.protocol.engine import Engine
from bideta.protocol.estimate import Estimate
from bideta.protocol.execute import execute, fill_cache
from bideta.protocol.experiment import Cell
from bideta.protocol.experiments import GROUPS, names
from bideta.protocol.extras import require_extras
from bideta.protocol.needed_splits import Split
from bideta.protocol.plan import Plan, Request, make_plan
from bideta.protocol.quantity_bench.cells import Request as QuantityRequest
from bideta.protocol.real.batches import NAMES as BATCHES
from bideta.protocol.real.cells import Request as RealRequest
from bideta.protocol.records import Record
from bideta.protocol.run_folder import claim, missing, owned
from bideta.protocol.stamp import Stamp, commit, versions

FAILED = 1  # exit code: done, except for the cells that failed
INTERRUPTED = 130  # exit code: by Ctrl-C, as shells count it
LISTED = 5  # failed cells that are named at the end

EXAMPLES = """
bideta bench paper --quick --out quick
bideta bench real --root recordings/ --out run --page real.md
bideta bench fewshot --dry-run
"""


def main(
    experiments: Annotated[
        list[str],
        typer.Argument(help=f"{', '.join(names())}; or {', '.join(GROUPS)}; or real, quantities, slip"),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="folder of the records, needed unless --dry-run; the same folder goes on where it stopped"
        ),
    ] = None,
    dataset: Annotated[str, typer.Option(help="simulated, real, or a dataset's name")] = "simulated",
    root: Annotated[
        list[str] | None,
        typer.Option(
            help="folder with sitr/, tacverse/ and tacquad/ inside, or sitr=DIR; may be repeated. For real: folder of "
            "sets, SET/CLASS/press N/*"
        ),
    ] = None,
    encoder: Annotated[list[str] | None, typer.Option(help="may be repeated; else the paper's two")] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="may be repeated; else the experiment's own")
    ] = None,
    seed: Annotated[list[int] | None, typer.Option(help="may be repeated; else 0, 1 and 2")] = None,
    target: Annotated[list[str] | None, typer.Option(help="target sensor; may be repeated")] = None,
    budget: Annotated[list[str] | None, typer.Option(help="such as 5% or 5-shot; may be repeated")] = None,
    scale: Annotated[float | None, typer.Option(help="share of a simulated dataset")] = None,
    difficulty: Annotated[str | None, typer.Option(help="of a simulated dataset: easy, medium, hard")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="a tenth of the frames, two targets, two seeds, short training")
    ] = False,
    labels: Annotated[
        list[int] | None, typer.Option(help="real: labelled contacts per class; may be repeated")
    ] = None,
    draws: Annotated[int | None, typer.Option(min=1, help="real: how often contacts are drawn")] = None,
    batch: Annotated[
        list[str] | None,
        typer.Option(help=f"real: {', '.join(BATCHES)}, or all; may be repeated; else balanced"),
    ] = None,
    leak_free: Annotated[
        bool, typer.Option("--leak-free", help="real: only splits that drift cannot flatter")
    ] = False,
    page: Annotated[Path | None, typer.Option(help="real: page with tables and charts, e.g. real.md")] = None,
    sheets: Annotated[
        Path | None, typer.Option(help="real: folder for a contact sheet of every set, to look at")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="setting of an encoder or dataset, plugin.name=value; may be repeated"),
    ] = None,
    without_torch: Annotated[
        bool, typer.Option("--without-torch", help="leave out the methods that train with torch")
    ] = False,
    engine: Annotated[str, typer.Option(help="local (processes) or ray")] = "local",
    ray_address: Annotated[str | None, typer.Option(help="Ray cluster; else one on this machine")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="cells at a time; else the number of cores")] = None,
    cache: Annotated[Path | None, typer.Option(help="folder of readouts; else OUT/cache")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="count the cells, estimate the time, run nothing")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="with --dry-run: name every cell")] = False,
) -> None:
    """Run experiments; one record per cell goes to OUT/records.jsonl. Stop at any time, start again to go on.

    Failed cells are recorded with their error, the others go on, and the exit code is 1; the next run tries them
    again.
    """
    if out is None and not dry_run:
        raise ValueError("no --out: name the folder of the records, or add --dry-run to see what would run")
    if len(experiments) == 1 and experiments[0] in QUANTITY_EXPERIMENTS:
        if len(root or ()) > 1:
            raise ValueError(
                f"bench {experiments[0]} takes one --root: a folder of recorded sets with targets.csv"
            )
        wanted = QuantityRequest(
            Path(root[0]) if root else None,
            tuple(encoder or DEFAULT_ENCODERS[:1]),
            tuple(method or ()),
            tuple(labels or ()),
            draws,
            tuple(target or ()),
            quick,
        )
        if bench_quantities(experiments[0], wanted, out, cache, page, dry_run):
            raise typer.Exit(FAILED)
        return
    if experiments == ["real"]:
        asked = RealRequest(
            tuple(encoder or DEFAULT_ENCODERS),
            tuple(method or ()),
            tuple(labels or ()),
            draws,
            BATCHES if batch == ["all"] else tuple(batch or ("balanced",)),
            tuple(target or ()),
            leak_free,
            quick,
            without_torch,
        )
        if bench_real(asked, root or [], out, cache, page, sheets, dry_run, jobs or cores()):
            raise typer.Exit(FAILED)
        return
    request = Request(
        dataset,
        tuple(root or ()),
        tuple(encoder or ()),
        tuple(method or ()),
        tuple(seed or ()),
        tuple(target or ()),
        tuple(budget or ()),
        scale,
        difficulty,
        quick,
        plugin_settings(settings or []),
        without_torch,
    )
    plan = make_plan(experiments, request)
    where = find_engine(engine, jobs, ray_address)
    cells = plan.cells()
    if not cells:
        raise ValueError("no cell is left: the options exclude each other; see bideta bench --help")
    require_extras(cells)
    needed = {cell.dataset for cell in cells}
    for assumption in filter(None, (plan.scope.infos[name].assumed for name in sorted(needed))):
        Console(stderr=True, soft_wrap=True).print(f"ASSUMED: {assumption}", markup=False, highlight=False)
    if dry_run or out is None:
        foresee(plan, cells, out, where, verbose)
        return
    with owned(out):
        try:
            failed = run(plan, cells, out, cache or out / "cache", where)
        except KeyboardInterrupt:
            Console(stderr=True).print("stopped; the same command goes on from here")
            raise typer.Exit(INTERRUPTED) from None
    if failed:
        raise typer.Exit(FAILED)


def find_engine(kind: str, jobs: int | None, address: str | None) -> Engine:
    """Where to run; by default all cores of this machine, or all of the cluster."""
    if kind not in ("local", "ray"):
        raise ValueError(f"--engine is {kind!r}, expected local or ray")
    if kind == "local" and address is not None:
        raise ValueError(f"--ray-address is {address!r}, but the engine is local; add --engine ray")
    if address is None or jobs is not None:
        return Engine(kind, jobs or cores(), address)
    from bideta.protocol.ray import cluster_cores

    return Engine(kind, cluster_cores(Engine(kind, 1, address)), address)


def foresee(plan: Plan, cells: list[Cell], out: Path | None, engine: Engine, verbose: bool) -> None:
    """Print how many cells of which experiment a run would do (verbose: which), and how long it might take."""
    wanted, log = (list(dict.fromkeys(cells)), records.Log({})) if out is None else missing(out, cells)
    if verbose:
        for cell in wanted:
            print(cell)
    estimate = Estimate(log.records.values(), plan.scope.quick)
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in wanted:
        groups.setdefault((cell.experiment, cell.dataset), []).append(cell)
    table = Table("experiment", "dataset")
    for title in ("cells", "time"):
        table.add_column(title, justify="right", no_wrap=True)
    for (experiment, dataset), group in groups.items():
        table.add_row(experiment, dataset, str(len(group)), span(estimate.left(group, engine.jobs)))
    if groups:
        Console().print(table)
    print(
        f"{len(wanted)} cells to do of {len(cells)}; about {span(estimate.left(wanted, engine.jobs))} "
        f"with {engine.jobs} at a time, once the readouts are cached"
    )


def run(plan: Plan, cells: list[Cell], out: Path, cache: Path, engine: Engine) -> int:
    """Do what is missing; the number of cells that failed."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    wanted, log = missing(out, cells)
    damage = records.describe_damage(out, log)
    if damage:
        console.print(damage, markup=False)
    if log.torn:
        console.print("the last record was cut off by the end of an earlier run; its cell is measured again")
    console.print(
        f"{len(wanted)} cells to do of {len(cells)}, {engine.jobs} at a time ({engine.kind}); records: "
        f"{out / records.FILE}; readouts: {cache}",
        markup=False,
    )
    supply = plan.supply(cache)
    claim(out, plan.facts(supply), shown_command(sys.argv))
    if not wanted:
        return 0
    estimate = Estimate(log.records.values(), plan.scope.quick)
    failures: list[Record] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        encoding = bar.add_task("readouts", total=None, left="")

        def encoded(split: Split, done: int, total: int) -> None:
            bar.update(encoding, completed=done, total=total, left=" ".join(split))

        for problem in fill_cache(wanted, supply, engine, encoded):
            console.print(f"no readouts: {problem}", markup=False)
        bar.remove_task(encoding)
        measuring = bar.add_task("cells", total=len(wanted), left="")
        waiting = dict.fromkeys(wanted)
        says = Milestones(console, len(wanted))

        def measured(record: Record) -> None:
            del waiting[record.cell]
            estimate.add(record)
            bar.update(measuring, advance=1)
            if says.due(len(wanted) - len(waiting)):
                left = f"about {span(estimate.left(waiting, engine.jobs))} left"
                bar.update(measuring, left=left)
                says.step(len(wanted) - len(waiting), left)
            if record.status == "failed":
                failures.append(record)

        stamp = Stamp(plan.scale, versions(), commit())
        execute(wanted, supply, stamp, out, engine, measured)
    for record in failures[:LISTED]:
        console.print(f"failed: {shown(f'{record.cell}: {record.error}')}", markup=False)
    if failures:
        reasons = Counter(record.error.partition(":")[0] for record in failures)
        summary = ", ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
        console.print(
            f"{len(failures)} of {len(wanted)} cells failed ({summary}); the next run tries them again"
        )
    console.print(f"done: {len(wanted) - len(failures)} new records in {out / records.FILE}", markup=False)
    return len(failures)


class Milestones:
    """When to say how far it is: every second for a bar, at every tenth of the way for a log."""

    def __init__(self, console: Console, total: int) -> None:
        self.console, self.total = console, total
        self.tenth, self.time = 0, 0.0

    def due(self, done: int) -> bool:
        """Whether it is time for a new estimate (which costs a look at every cell)."""
        if self.console.is_terminal:
            return time.monotonic() - self.time > 1 or done == self.total
        return 10 * done // self.total > self.tenth

    def step(self, done: int, left: str) -> None:
        """Note that it was said; print it where no bar is seen."""
        self.time, self.tenth = time.monotonic(), 10 * done // self.total
        if not self.console.is_terminal:
            self.console.print(f"{done} of {self.total} cells, {left}")


def span(seconds: float) -> str:
    """A time in words that are easy to read.

    >>> span(42), span(600), span(7300)
    ('42 s', '10 min', '2 h 2 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
