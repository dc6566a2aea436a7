"""What a command prints on standard error: a progress bar where somebody watches, and lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from bideta.images.reading import shown


class Step(Protocol):
    """Moves a progress bar."""

    def __call__(self, done: int, total: int, what: str = ...) -> None:
        """So much is done; ``what`` is what the bar is called from now on."""
        ...


@contextmanager
def progress(title: str) -> Iterator[Step]:
    """A function that moves the bar; silent where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total, what=title: None
        return
    from rich.console import Console  # where somebody watches only: it takes time to import
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def step(done: int, total: int, what: str = title) -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield step


def plain(text: str) -> str:
    """The text without what moves a cursor: a message may quote names and files that others made."""
    return "\n".join(map(shown, text.split("\n")))


def in_clone(text: str) -> str:
    """The text; where it names an extra of the package, also how a clone installs it, which no index knows."""
    return re.sub(r"'bideta\[([\w,-]+)\]'", r"\g<0> (in a clone: '.[\1]', after make demo -e '.[\1]')", text)


def note(line: str, style: str | None = None) -> None:
    """Print a line on standard error; one, whatever names it quotes."""
    if style is None:
        print(shown(line), file=sys.stderr)
        return
    from rich.console import Console

    Console(stderr=True, soft_wrap=True).print(shown(line), style=style, markup=False, highlight=False)
