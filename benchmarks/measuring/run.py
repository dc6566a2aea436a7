"""Runs the measurements of a section in child processes, shows how far it is, and keeps what is already done."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as Pending
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.measuring import machine, peak, results
from benchmarks.measuring.task import Task


class Children(AbstractContextManager["Children"]):
    """The processes that measure: one that is kept, and a fresh one wherever a task asks for it."""

    def __init__(self) -> None:
        self.kept: ProcessPoolExecutor | None = None

    def start(self, task: Task) -> Future[dict[str, Any]]:
        """Begin a task."""
        if task.fresh:
            pool = _pool()
            future = pool.submit(task.function, **task.arguments)
            pool.shutdown(wait=False)
            return future
        if self.kept is None:
            self.kept = _pool()
        return self.kept.submit(task.function, **task.arguments)

    def __exit__(self, *_: object) -> None:
        if self.kept is not None:
            self.kept.shutdown(cancel_futures=True)


def _pool() -> ProcessPoolExecutor:
    """A new process: spawned, not forked, so that it holds nothing of this one's memory and threads."""
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


def run_section(
    section: str,
    tasks: list[Task],
    folder: Path,
    children: Children,
    console: Console,
    *,
    again: bool = False,
) -> None:
    """Measure what is not yet measured with this code, these settings and this machine; write after each task."""
    here = machine.facts()
    stamps = {task.name: task.stamp(here) for task in tasks}
    before = results.read(folder, section)
    kept = {
        name: record
        for name, record in before["tasks"].items()
        if "result" in record and record["stamp"] == stamps.get(name) and not again
    }
    content = {"machine": here, "circumstances": before["circumstances"], "tasks": kept}
    if any(task.name not in kept and not task.skip for task in tasks):
        content["circumstances"] = machine.circumstances()
    with _display(console) as progress:
        bar = progress.add_task(section, total=sum(task.seconds for task in tasks))
        for task in tasks:
            if task.name in kept:
                progress.update(bar, advance=task.seconds, description=f"{section}: {task.name}")
                progress.console.print(f"  {section}: {task.name}: kept")
                continue
            begun = perf_counter()
            record = _record(task, children, progress, bar, section)
            content["tasks"][task.name] = {"stamp": stamps[task.name], **record}
            listed = {name: content["tasks"][name] for name in stamps if name in content["tasks"]}
            results.write(folder, section, {**content, "tasks": listed})
            said = (
                f"skipped: {record['skipped']}" if "skipped" in record else f"{perf_counter() - begun:.1f} s"
            )
            progress.console.print(f"  {section}: {task.name}: {said}")


def _record(task: Task, children: Children, progress: Progress, bar: Any, section: str) -> dict[str, Any]:
    free = peak.free() / 2**30
    reason = task.skip
    if not reason and 0 < free < task.gigabytes:
        reason = f"needs {task.gigabytes:.0f} GB of free memory, {free:.1f} GB were free"
    if reason:
        progress.update(bar, advance=task.seconds, description=f"{section}: {task.name}")
        return {"arguments": task.arguments, "skipped": reason}
    begun = done = perf_counter()
    future = children.start(task)
    progress.update(bar, description=f"{section}: {task.name}")
    while not future.done():
        try:
            future.exception(timeout=0.5)
        except Pending:
            now = perf_counter()
            progress.update(bar, advance=max(0.0, min(now, begun + task.seconds) - done))
            done = now
    progress.update(bar, advance=max(0.0, begun + task.seconds - done))
    try:
        result = future.result()
    except BrokenProcessPool as error:
        raise RuntimeError(
            f"{section}: {task.name}: the measuring process died, most likely for want of memory "
            f"({free:.1f} GB were free); free some and run the same command again, finished tasks are kept"
        ) from error
    return {"arguments": task.arguments, "seconds": round(perf_counter() - begun, 2), "result": result}


def _display(console: Console) -> Progress:
    """Redrawn once a second: the display must not take the processor from what it shows."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %"))
    return Progress(*columns, TimeElapsedColumn(), console=console, refresh_per_second=1, transient=True)
