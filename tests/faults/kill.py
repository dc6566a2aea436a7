"""Kill a small run at random instants until it ends, and compare with one that nobody disturbed.

``python tests/faults/kill.py --kills 100`` exits with 0 where tables are the same byte for byte and records except
for times, and lists how far every killed run came. Each start is a fresh process; SIGKILL goes to it and to its
workers alike.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bideta.cli.report import main as report
from bideta.protocol.records import FILE, read_log
from support.releases import tiny_onnx

START = "from bideta.cli import main; main()"
METHODS = ("simpleshot", "lda", "bideta")
STEP = 0.002  # seconds between two looks at the file while waiting for the instant
SLOWEST = 240.0  # seconds that an undisturbed run may take


def command(encoder: Path, out: Path) -> list[str]:
    """A run of two dozen cells that takes seconds, most of them for starting processes."""
    data = ["--dataset", "simulated-sitr", "--scale", "0.02", "--set", "simulated-sitr.size=16"]
    cells = [word for method in METHODS for word in ("--method", method)]
    where = ["--target", "Hex", "--encoder", f"onnx:{encoder}", "--jobs", "2", "--out", str(out)]
    return [sys.executable, "-c", START, "bench", "budgets", *data, *cells, *where]


def start(encoder: Path, out: Path) -> subprocess.Popen[bytes]:
    """The run in a process group of its own."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(command(encoder, out), start_new_session=True, **quiet)


def kill(run: subprocess.Popen[bytes]) -> None:
    """End the run and its workers as a power cut would."""
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()


def essence(out: Path) -> str:
    """All records without their times, as text: two runs that measured the same are equal byte for byte."""
    log = read_log(out / FILE)
    lines = []
    for cell in sorted(log.records):
        content = json.loads(log.records[cell].line())
        del content["seconds"], content["check"]
        lines.append(json.dumps(content, sort_keys=True))
    return "\n".join(lines)


def tables(out: Path) -> bytes:
    """All tables of the run, as bideta report writes them."""
    path = out / "tables.csv"
    report([out], csv=path)
    return path.read_bytes()


def lines_of(out: Path) -> int:
    """Whole lines written so far."""
    path = out / FILE
    return path.read_bytes().count(b"\n") if path.exists() else 0


def trial(folder: Path, kills: int, seed: int) -> list[str]:
    """What went wrong (nothing, one hopes); prints how far each killed run came."""
    rng = random.Random(seed)
    encoder = tiny_onnx(folder / "tiny.onnx")
    calm = folder / "calm"
    begun = time.monotonic()
    run = start(encoder, calm)
    _, errors = run.communicate(timeout=SLOWEST)
    if run.returncode != 0:
        return [f"the undisturbed run ended with {run.returncode}: {errors.decode()}"]
    whole, expected, count = time.monotonic() - begun, essence(calm), lines_of(calm)
    stormy, restarts = folder / "stormy", 0
    for number in range(kills):
        if lines_of(stormy) >= count:  # it got to its end before its turn to die: begin anew, in a new folder
            restarts += 1
            problems = compare(stormy, expected, count)
            if problems:
                return problems
            stormy = folder / f"stormy-{restarts}"
        run = start(encoder, stormy)
        moment = instant(run, stormy, count, whole, rng)
        kill(run)
        print(f"kill {number + 1}: {moment}, {lines_of(stormy)} of {count} records", flush=True)
    run = start(encoder, stormy)
    _, errors = run.communicate(timeout=SLOWEST)
    if run.returncode != 0:
        return [f"the last run ended with {run.returncode}: {errors.decode()}"]
    if tables(calm) != tables(stormy):
        return [f"{stormy}: the tables differ from the undisturbed run's"]
    return compare(stormy, expected, count)


def instant(run: subprocess.Popen[bytes], out: Path, count: int, whole: float, rng: random.Random) -> str:
    """Wait for a random moment: of the clock, or just around the writing of a record."""
    deadline = time.monotonic() + rng.uniform(0.0, whole)
    wanted = lines_of(out) + rng.randint(1, max(1, count // 4)) if rng.random() < 0.7 else count + 1
    while run.poll() is None and lines_of(out) < wanted:
        if wanted > count and time.monotonic() > deadline:
            return "by the clock"
        time.sleep(STEP)
    time.sleep(rng.choice([0.0, 0.001, 0.01, 0.05]))
    return "while writing"


def compare(out: Path, expected: str, count: int) -> list[str]:
    """Differences from the undisturbed run: content, and cells that were measured twice."""
    problems = []
    if essence(out) != expected:
        problems.append(f"{out}: the records differ from the undisturbed run's")
    if lines_of(out) != count:
        problems.append(f"{out}: {lines_of(out)} lines, expected {count}: a cell was lost or measured twice")
    if read_log(out / FILE).damaged:
        problems.append(f"{out}: damaged lines")
    return problems


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        problems = trial(Path(folder), arguments.kills, arguments.seed)
    print("\n".join(problems) or f"{arguments.kills} kills: same records, nothing lost, nothing twice")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
