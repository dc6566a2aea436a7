"""Two checkouts in turns: how long the new one takes, in units of the old one.

Each checkout has a process of its own with one BLAS thread. In a turn both time the same calls, one right after the
other, and who goes first changes from turn to turn. Times are of the processor, not of the clock on the wall, and the
fastest call of a turn counts: other work on the machine makes calls slower, never faster. Where a process happens to
lie in memory moves its times by a percent or two, so every round starts new processes.

Reported are the median of the turns' ratios with its error, and the ratio of the fastest turns.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.same.shapes import SHAPES

ROOT = Path(__file__).parents[2]
ROUNDS, TURNS = 3, 5
BATCH = 0.12  # s of calls in one turn
LEAST_CALLS, MOST_CALLS = 2, 200
IMAGES = 10  # that the command line answers
ALLOWED = 1.03
COMMAND = "from bideta.cli import main; main()"

# Old and new seconds of every turn.
Turns = list[tuple[float, float]]


def speed(other: Path, only: str = "") -> int:
    """Print the ratio this checkout / ``other`` for every shape; 1 where one is slower than allowed."""
    slow = []
    for name, took in _measured(other, only):
        old, new = np.array(took).T
        low, middle, high = np.percentile(new / old, (25, 50, 75))
        error = 1.2533 * (high - low) / 1.349 / np.sqrt(len(old))  # of a median, from the quartiles
        fastest = new.min() / old.min()
        if min(middle, fastest) > ALLOWED:
            slow.append(name)
        print(
            f"{middle:6.3f} ± {error:.3f}  fastest {fastest:.3f}  {1e3 * old.min():9.3f} ms  {name}",
            flush=True,
        )
    print(f"slower than {ALLOWED:g} in the median and in the fastest turns: {', '.join(slow) or 'none'}")
    return int(bool(slow))


def _measured(other: Path, only: str) -> Iterator[tuple[str, Turns]]:
    yield from _calls(other, only).items()
    yield from _start_ups(other, only).items()


def _calls(other: Path, only: str) -> dict[str, Turns]:
    turns: dict[str, Turns] = {name: [] for name in SHAPES if only in name}
    for number in range(ROUNDS if turns else 0):
        print(f"round {number + 1} of {ROUNDS}", file=sys.stderr)
        with ExitStack() as stack:
            old, new = (stack.enter_context(_worker(checkout)) for checkout in (other, ROOT))
            for name, took in turns.items():
                longest = max(old(f"prepare {name}"), new(f"prepare {name}"))
                count = int(np.clip(BATCH / longest, LEAST_CALLS, MOST_CALLS))
                took += _turns(partial(old, f"time {count}"), partial(new, f"time {count}"))
    return turns


def _start_ups(other: Path, only: str) -> dict[str, Turns]:
    """Commands in new processes, on a sensor that each checkout wrote itself."""
    commands = ("--help", "predict s.bideta home/queries -o labels.csv")
    names = {f"start-up of bideta {command}": command for command in commands}
    names = {name: command for name, command in names.items() if only in name}
    if not names:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        old, new = partial(_command, other, Path(folder, "old")), partial(_command, ROOT, Path(folder, "new"))
        for home, run in ((Path(folder, "old"), old), (Path(folder, "new"), new)):
            home.mkdir()
            run("sim contacts home --labelled 2 --queries 1")
            run("adapt home/support -o s.bideta --encoder twin-tvl --preset classification")
            for path in sorted((home / "home/queries").rglob("*.png"))[IMAGES:]:
                path.unlink()
        return {
            name: [
                turn for _ in range(ROUNDS) for turn in _turns(partial(old, command), partial(new, command))
            ]
            for name, command in names.items()
        }


def _turns(old: Callable[[], float], new: Callable[[], float]) -> Turns:
    turns = []
    for turn in range(TURNS):
        if turn % 2:
            turns.append((old(), new()))
        else:
            second = new()
            turns.append((old(), second))
    return turns


@contextmanager
def _worker(checkout: Path) -> Iterator[Callable[[str], float]]:
    """A process that imports this checkout; what it returns asks it."""
    source = checkout.resolve() / "src"
    command = [sys.executable, "-m", "benchmarks.same.worker"]
    with subprocess.Popen(
        command, cwd=ROOT, env=_environment(source), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        imported = json.loads(process.stdout.readline() or '"nothing"')
        if imported != str(source):
            raise ValueError(f"expected a checkout with bideta in {source}, the process imported {imported}")

        def ask(line: str) -> float:
            print(line, file=process.stdin, flush=True)
            answer = process.stdout.readline() if process.stdout else ""
            if not answer:
                raise RuntimeError(f"the process of {checkout} ended at: {line}")
            return float(json.loads(answer))

        yield ask
        process.stdin.close()


def _command(checkout: Path, home: Path, command: str) -> float:
    """Processor seconds of a command line in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = [sys.executable, "-c", COMMAND, *command.split()]
    done = subprocess.run(
        line,
        cwd=home,
        env=_environment(checkout.resolve() / "src"),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{checkout}: bideta {command}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _environment(source: Path) -> dict[str, str]:
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **one, "PYTHONPATH": str(source)}
