"""docs/evidence/load.md: a line for each round, and what became of the attacks."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.load.clients import BUSY, CUT
from benchmarks.load.rounds import KINDS, Round
from benchmarks.measuring import machine

COLUMNS = ("clients", "finished", "answered", "hostile", "429/503", "other errors")
COLUMNS += (*(f"{kind}, ms" for kind in KINDS), "health, ms", "idle process, ms", "s in all")


def row(one: Round) -> str:
    """A line of the table."""
    good = sum(n for status, n in one.statuses.items() if 200 <= status < 300)
    busy = sum(one.statuses.get(status, 0) for status in BUSY)
    other = ", ".join(f"{status}: {n}" for status, n in one.unexpected.items()) or 0
    attacks = sum(n for counts in one.hostile.values() for n in counts.values())
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
    """docs/evidence/load.md."""
    facts = machine.facts()
    kinds = sorted({kind for one in rounds for kind in one.hostile})
    attacks = []
    for kind in kinds:
        counts: dict[int, int] = {}
        for one in rounds:
            for status, n in one.hostile.get(kind, {}).items():
                counts[status] = counts.get(status, 0) + n
        shown = ", ".join(
            f"{'cut off' if status == CUT else status}: {n:,}" for status, n in sorted(counts.items())
        )
        attacks.append(f"| {kind} | {shown} |")
    traces = sum(one.traces for one in rounds)
    first, last = rounds[0], rounds[-1]
    errors = sum(n for one in rounds for n in one.unexpected.values())
    failed = sum(n for one in rounds for bad in one.failures.values() for n in bad.values())
    return "\n".join(
        [
            "# The server under load",
            "",
            f"**{last.finished} of {last.clients} clients at once finish their work, with {errors or 'no'} errors.**",
            f"The middle prediction takes {last.times['predict'][0]:.1f} s with {last.clients} clients and",
            f"{first.times['predict'][0]:.1f} s with {first.clients}, waiting included.",
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
            "waiting in the queue included. Only requests that are not hostile and not sent away count. The idle",
            "process does nothing but send a byte back after every health check: its time is what the machine takes.",
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
