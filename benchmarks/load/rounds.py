"""``python -m benchmarks.load [--quick]`` (``make load``): the server under many clients, written to docs/load.md.

Every client does what a new sensor needs: 45 uploads, adapt, predict. One request in four is hostile.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.load.clients import BUSY, CUT, Tally, pictures, polite
from benchmarks.measuring import machine
from bideta.artifact import write_atomic

ROOT = Path(__file__).parents[2]
CLIENTS = (1, 8, 64, 256)
UPLOADS = 45
HOSTILE = 0.25  # share of all requests
HEALTHY = 0.1  # s
SOCKETS = 4096  # file descriptors that 256 clients and their attacks may need
KINDS = ("upload", "adapt", "predict")
COLUMNS = ("clients", "finished", "answered", "hostile", "429/503", "other errors")
COLUMNS += (*(f"{kind}, ms" for kind in KINDS), "health, ms", "idle process, ms", "s in all")


@dataclass(frozen=True)
class Round:
    """One row of the table."""

    clients: int
    finished: int
    seconds: float
    statuses: dict[int, int]
    hostile: dict[str, dict[int, int]]
    traces: int
    times: dict[str, list[float]]  # kind → p50, p95, p99 in seconds
    health: list[float]  # p50, p99, largest in seconds
    idle: list[float]  # the same of a process that only sends a byte back: what the machine adds

    @property
    def unexpected(self) -> dict[int, int]:
        """Statuses of polite requests that are neither success nor "busy"."""
        return {
            status: n for status, n in self.statuses.items() if not 200 <= status < 300 and status not in BUSY
        }

    @property
    def failures(self) -> dict[str, dict[int, int]]:
        """Hostile requests that were answered with success where they must not be, or with a server error."""
        return {
            kind: bad
            for kind, found in self.hostile.items()
            if (
                bad := {
                    status: n
                    for status, n in found.items()
                    if status != CUT and not 400 <= status < 500 and status != 503
                }
            )
        }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description="The server under load.")
    parser.add_argument(
        "--quick", action="store_true", help="few clients and uploads; prints, writes nothing"
    )
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    options = parser.parse_args(arguments)
    before = os.getloadavg()[0]
    with server() as port:
        rounds = []
        for clients in (1, 4) if options.quick else CLIENTS:
            rounds.append(run(port, clients, uploads=6 if options.quick else UPLOADS))
            print(row(rounds[-1]), flush=True)
    text = page(rounds, before)
    if options.quick:
        print(text)
        return
    write_atomic(options.docs / "load.md", text.encode())
    facts = {"machine": machine.facts(), **machine.circumstances(), "load_before": before}
    record = {**facts, "rounds": [vars(one) for one in rounds]}
    write_atomic(
        ROOT / "benchmarks" / "results" / "load.json", (json.dumps(record, indent=1) + "\n").encode()
    )


@contextmanager
def server(*options: str) -> Iterator[int]:
    """A studio in its own process and an empty folder; yields its port."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryFile("w+") as log:
        command = [
            sys.executable,
            "-c",
            "from bideta.cli import main; main()",
            "studio",
            "--no-open",
            "--port",
            "0",
        ]
        process = subprocess.Popen([*command, "--home", home, *options], stderr=log)
        try:
            yield _port(process, log)
        finally:
            process.terminate()
            process.wait(60)
            log.seek(0)
            said = log.read()
        if "Traceback" in said:
            raise RuntimeError(f"the server's log holds a traceback:\n{said}")


def _port(process: subprocess.Popen[bytes], log: Any) -> int:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        log.seek(0)
        found = re.search(r"http://[^ ]+:([0-9]+)/", log.read())
        if found:
            port = int(found.group(1))
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
            except OSError:
                pass
            else:
                return port
        time.sleep(0.05)
    raise RuntimeError("the server did not start")


def run(port: int, clients: int, uploads: int = UPLOADS, hostile: float = HOSTILE) -> Round:
    """Let ``clients`` work at the same time, and watch the server's health meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(SOCKETS, hard)), hard))
    tally, contacts = Tally(), pictures(uploads)
    probe = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.load.health", str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    assert probe.stdout is not None
    probe.stdout.readline()  # it is connected: a watcher was there before the crowd

    async def everyone() -> None:
        await asyncio.gather(*(polite(port, contacts, tally, hostile, seed) for seed in range(clients)))

    def elsewhere() -> None:
        if sys.platform == "linux":  # clients stand for other machines: they do not take the server's cores
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 15)
        asyncio.run(everyone())

    start = time.perf_counter()
    try:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(elsewhere).result()
    finally:
        seconds = time.perf_counter() - start
        probed = json.loads(probe.communicate()[0])
    found: dict[str, dict[int, int]] = {}
    for (kind, status), n in sorted(tally.hostile.items()):
        found.setdefault(kind, {})[status] = n
    return Round(
        clients=clients,
        finished=tally.finished,
        seconds=seconds,
        statuses=dict(sorted(tally.statuses.items())),
        hostile=found,
        traces=tally.traces,
        times={kind: np.quantile(tally.seconds[kind], [0.5, 0.95, 0.99]).tolist() for kind in KINDS},
        health=_of_probes(probed["health"]),
        idle=_of_probes(probed["idle"]),
    )


def _of_probes(seconds: list[float]) -> list[float]:
    return [*np.quantile(seconds, [0.5, 0.99]).tolist(), max(seconds)]


def row(one: Round) -> str:
    """A line of the table."""
    good = sum(n for status, n in one.statuses.items() if 200 <= status < 300)
    busy = sum(one.statuses.get(status, 0) for status in BUSY)
    other = ", ".join(f"{status}: {n}" for status, n in one.unexpected.items()) or 0
    attacks = sum(n for found in one.hostile.values() for n in found.values())
    times = [" / ".join(f"{1000 * value:.0f}" for value in one.times[kind]) for kind in KINDS]
    health, idle = (" / ".join(f"{1000 * value:.0f}" for value in of) for of in (one.health, one.idle))
    cells = [
        f"{one.finished} of {one.clients}",
        f"{good:,}",
        f"{attacks:,}",
        f"{busy:,}",
        other,
        *times,
        health,
        idle,
        f"{one.seconds:.0f}",
    ]
    return f"| {' | '.join(map(str, (one.clients, *cells)))} |"


def page(rounds: Sequence[Round], load: float) -> str:
    """docs/load.md."""
    facts = machine.facts()
    kinds = sorted({kind for one in rounds for kind in one.hostile})
    attacks = []
    for kind in kinds:
        found: dict[int, int] = {}
        for one in rounds:
            for status, n in one.hostile.get(kind, {}).items():
                found[status] = found.get(status, 0) + n
        shown = ", ".join(
            f"{'cut off' if status == CUT else status}: {n:,}" for status, n in sorted(found.items())
        )
        attacks.append(f"| {kind} | {shown} |")
    traces = sum(one.traces for one in rounds)
    failed = sum(n for one in rounds for bad in one.failures.values() for n in bad.values())
    return "\n".join(
        [
            "# The server under load",
            "",
            "Written by `make load`. Every client starts a session, uploads 45 images one by one, adapts and",
            "predicts; a client that is sent away with 429 or 503 waits as long as `Retry-After` says and asks again.",
            "One request in four is hostile. Encoder `twin-tvl`. Clients, prober and server share the machine",
            "(the clients, which stand for other machines, at low priority):",
            f"{facts['processor']}, {facts['cores']} cores, load average {load:.1f} before the run.",
            "",
            f"| {' | '.join(COLUMNS)} |",
            f"|{'---|' * len(COLUMNS)}",
            *(row(one) for one in rounds),
            "",
            "Times are p50 / p95 / p99 (health: p50 / p99 / largest), from sending a request to its whole answer,",
            "waiting in the queue included; polite requests only, those sent away not counted. The idle process only",
            "sends a byte back, asked after every health check: so long the machine itself makes anybody wait.",
            "",
            "What became of the hostile requests, all rounds together:",
            "",
            "| request | answers |",
            "|---|---|",
            *attacks,
            "",
            f"Server errors or successes among them: {failed}. Stack traces in any answer: {traces}.",
            "",
        ]
    )
