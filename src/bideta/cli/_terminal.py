"""What a command prints on standard error: a progress bar where somebody watches, and lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """A function of (done, total) that moves the bar; silent where stderr is not a terminal."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def note(line: str, style: str | None = None) -> None:
    """Print a line on standard error."""
    Console(stderr=True, soft_wrap=True).print(line, style=style, markup=False, highlight=False)
