"""One measurement: a function, its arguments, and what is needed to know whether it was already done."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bideta

PACKAGE, HERE = Path(bideta.__file__).parent, Path(__file__).parents[1]
# What is measured and what measures: a change of any of these makes results stale.
MEASURED = ("method/*.py", "neighbors/*.py", "extensions/*.py", "*.py")
MEASURING = ("measuring/features.py", "method/composition.py", "measuring/clock.py", "measuring/peak.py")


@dataclass(frozen=True)
class Task:
    """A measurement that runs in a child process, away from the progress display."""

    name: str
    function: Callable[..., dict[str, Any]]
    arguments: dict[str, Any]  # as JSON can hold them
    seconds: float  # about how long on two quiet cores; for the progress display only
    fresh: bool = False  # in a process of its own: what ran before must not count in its memory
    gigabytes: float = 0.0  # memory it needs; with less than that free it is reported as skipped
    skip: str = ""  # why this version of the benchmark leaves it out; reported

    def stamp(self, machine: dict[str, Any]) -> str:
        """Fingerprint of code, arguments and machine: an equal one means that the result still holds."""
        digest = hashlib.sha256(json.dumps([self.arguments, machine], sort_keys=True).encode())
        digest.update(self.function.__qualname__.encode())
        for path in _sources(self.function.__module__):
            digest.update(_program(path).encode())
        return digest.hexdigest()[:16]


def _sources(module: str) -> Iterator[Path]:
    for pattern in MEASURED:
        yield from sorted(PACKAGE.glob(pattern))
    yield from (HERE / name for name in MEASURING)
    yield Path(str(sys.modules[module].__file__))


def _program(path: Path) -> str:
    """The file without comments and docstrings: better words do not make a measurement stale."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
