"""One round: clients work at the same time. Every one does what a new sensor needs: uploads, adapt, predict."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from benchmarks.load.clients import BUSY, CUT, Tally, pictures, polite
from benchmarks.measuring.results import ROOT

UPLOADS = 45
HOSTILE = 0.25  # share of all requests
SOCKETS = 4096  # file descriptors that 256 clients and their attacks may need
KINDS = ("upload", "adapt", "predict")


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
            for kind, counts in self.hostile.items()
            if (
                bad := {
                    status: n
                    for status, n in counts.items()
                    if status != CUT and not 400 <= status < 500 and status != 503
                }
            )
        }


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
    hostile_statuses: dict[str, dict[int, int]] = {}
    for (kind, status), n in sorted(tally.hostile.items()):
        hostile_statuses.setdefault(kind, {})[status] = n
    return Round(
        clients=clients,
        finished=tally.finished,
        seconds=seconds,
        statuses=dict(sorted(tally.statuses.items())),
        hostile=hostile_statuses,
        traces=tally.traces,
        times={kind: np.quantile(tally.seconds[kind], [0.5, 0.95, 0.99]).tolist() for kind in KINDS},
        health=_of_probes(probed["health"]),
        idle=_of_probes(probed["idle"]),
    )


def _of_probes(seconds: list[float]) -> list[float]:
    return [*np.quantile(seconds, [0.5, 0.99]).tolist(), max(seconds)]
