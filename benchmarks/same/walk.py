"""How far a reader walks who follows ``fit`` and ``predict``: functions, files, changes of file.

Counted are functions and methods of bideta that run. Lambdas, comprehensions and what ``dataclass`` generates are not
functions to read: they stand inside something that is counted, or nowhere.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import bideta
from benchmarks.same.features import contacts
from bideta import Bideta

HOME = Path(bideta.__file__).parent
QUERIES = 200


class Walk(NamedTuple):
    """What was visited, in the order of the first visits."""

    functions: dict[str, list[str]]  # file → functions
    calls: int
    changes: int  # how often a call is in another file than the call before it

    def __str__(self) -> str:
        lines = [f"{file}: {len(names)}: {', '.join(names)}" for file, names in self.functions.items()]
        total = sum(map(len, self.functions.values()))
        files = len(self.functions)
        said = f"{total} functions in {files} files; {self.calls} calls, {self.changes} changes of file"
        return "\n".join([*lines, said])


def walk() -> Walk:
    """``fit`` and ``predict`` of two readouts and 200 queries, as a reader would follow them."""
    data = contacts(0, m=QUERIES)

    def steps() -> None:
        Bideta().fit(data.support, data.labels).predict(data.queries)

    steps()  # imports that wait for the first call are no part of the walk
    return visited(steps)


def visited(steps: Callable[[], Any]) -> Walk:
    """Functions of bideta that ``steps`` runs."""
    calls: list[CodeType] = []

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and _is_function(frame.f_code):
            calls.append(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        steps()
    finally:
        sys.setprofile(before)
    functions: dict[str, list[str]] = {}
    for code in dict.fromkeys(calls):
        file = str(Path(code.co_filename).relative_to(HOME))
        functions.setdefault(file, []).append(code.co_qualname)
    changes = sum(one.co_filename != other.co_filename for one, other in itertools.pairwise(calls))
    return Walk(functions, len(calls), changes)


def _is_function(code: CodeType) -> bool:
    return Path(code.co_filename).is_relative_to(HOME) and not code.co_name.startswith("<")
