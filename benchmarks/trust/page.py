"""``python -m benchmarks.trust.page``: docs/evidence/trust-over-time.md and gel-health.md from the results."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import results
from benchmarks.trust import presses, which_presses
from benchmarks.trust.wear import LABELS, STREAM
from benchmarks.trust.words import EARLIER, GEL, OVER_TIME, PRESSES, REPAIR, WHICH
from bideta.images.files import write_atomic
from bideta.service.choices import DEFAULT_ENCODER
from bideta.sim import SENSORS

Tasks = dict[str, dict[str, Any]]
DAYS = ("gelsight-mini-day1 → gelsight-mini-day2", "gelsight-mini-day2 → gelsight-mini-day1")
OBJECTS = "gelsight-mini-objects |"
WHICH_COLUMNS = ["days", "labels", "first", "last", "spread", "random", "random, every draw"]
MAKES = {"real": "### Real recordings\n", "simulated": "### The twin (simulated)\n"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write both pages."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust.page", description=__doc__)
    parser.add_argument("--results", type=Path, default=results.FOLDER, help="folder of the JSON results")
    parser.add_argument("--docs", type=Path, default=results.ROOT / "docs")
    options = parser.parse_args(arguments)
    earlier, anytime, wear, which = (
        results.answers(options.results, name) for name in ("earlier", "anytime", "wear", which_presses.NAME)
    )
    pages = {
        "trust-over-time": [
            OVER_TIME.format(**_over_time(earlier, anytime)),
            *_earlier(earlier),
            PRESSES,
            *_presses(anytime),
            WHICH,
            _table(WHICH_COLUMNS, which_presses.rows(which), 1),
        ],
        "gel-health": [GEL.format(alarms=_alarms(wear), **_gel(wear)), _found(wear), REPAIR, _repaired(wear)],
    }
    for name, parts in pages.items():
        text = "\n".join(part.rstrip() + "\n" for part in parts)
        write_atomic(options.docs / "evidence" / f"{name}.md", text.encode())


def _over_time(earlier: Tasks, anytime: Tasks) -> dict[str, str]:
    """Figures of the first two lines: real sensors, the default encoder."""
    days = [f"{DEFAULT_ENCODER} | {pair} | 1" for pair in DAYS]
    draws = [draw for name in days for draw in earlier[name]["draws"]]
    frames = presses.mean_curve(
        [cell for name, cell in anytime.items() if name.startswith(OBJECTS)], "so_far"
    )
    answers = {key: float(np.mean([draw[key] for draw in draws])) for key in ("anew", "kept")}
    answers |= {"first": frames[0], "fifth": frames[4]}
    return {key: f"{value:.0f}" for key, value in answers.items()}


def _gel(tasks: Tasks) -> dict[str, str]:
    """Figures of the first two lines of the page on gel health."""
    healthy = [result for name, result in tasks.items() if name.endswith("| healthy")]
    worn = list(_worn(tasks))
    delays = {
        strength: [delay for _, _, of, result, _ in worn if of == strength for delay in result["delays"]]
        for strength in ("1", "0.3")
    }
    strong, weak = (
        f"{sum(delay is not None and 0 < delay <= STREAM for delay in of)} of {len(of)}"
        for of in delays.values()
    )
    draws = [draw for *_, result, _ in worn for draw in result["repaired"].get("1", ())]
    said = {key: f"{np.mean([draw[key] for draw in draws]):.0f}" for key in ("old", "kept")}
    false, streams = (f"{sum(result[key] for result in healthy):,}" for key in ("alarms", "streams"))
    return {"strong": strong, "weak": weak, "false": false, "streams": streams, **said}


def _earlier(tasks: Tasks) -> list[str]:
    parts = []
    for kind, title in MAKES.items():
        mine = {
            name: result["draws"] for name, result in tasks.items() if _kind(name.split(" | ")[1]) == kind
        }
        if not mine:
            continue
        rows = []
        for name, draws in mine.items():
            encoder, pair, n = name.split(" | ")
            gained = [draw["kept"] - draw["anew"] for draw in draws]
            mean = [f"{np.mean([draw[key] for draw in draws]):.1f}" for key in ("anew", "together", "kept")]
            shares = " ".join(f"{draw['share']:g}" for draw in draws)
            short = pair.replace("gelsight-mini-", "")
            rows.append([short, encoder, n, *mean, f"{np.mean(gained):+.1f}", f"{min(gained):+.1f}", shares])
        columns = ["pair", "encoder", "labels", "anew", "together", "kept", "gain", "worst draw", "shares"]
        parts += [title, *_kept_promises(mine, kind), _table(columns, rows, 2)]
    return parts


def _kept_promises(mine: dict[str, list[dict[str, float]]], kind: str) -> list[str]:
    """The promise in words, for another sensor apart."""
    groups: dict[str, list[list[float]]] = {}
    for name, draws in mine.items():
        other = name.split(" | ")[1].startswith("gelsight-mini-b-")
        who = (
            "Twin units"
            if kind == "simulated"
            else "Another sensor, b"
            if other
            else "The same sensor on two days"
        )
        groups.setdefault(who, []).append([draw["kept"] - draw["anew"] for draw in draws])
    return [
        EARLIER.format(
            who=who,
            cells=len(cells),
            below=sum(np.mean(cell) < -1 for cell in cells),
            worst=f"{min(np.mean(cell) for cell in cells):+.1f}",
            draws=sum(map(len, cells)),
            lost=sum(gain < -1 for cell in cells for gain in cell),
            least=f"{min(gain for cell in cells for gain in cell):+.1f}",
        )
        for who, cells in groups.items()
    ]


def _presses(tasks: Tasks) -> list[str]:
    content = {"tasks": {name: {"result": result} for name, result in tasks.items()}}
    parts = []
    for kind, title in MAKES.items():
        parts.append(title)
        for caption, (columns, *rows) in presses.tables(content).items():
            mine = [row for row in rows if row[0].endswith(f", {kind}")]
            parts += [
                f"{caption.capitalize()}:\n",
                _table(columns, [[row[0].removesuffix(f", {kind}"), *row[1:]] for row in mine], 1),
            ]
    return parts


def _alarms(tasks: Tasks) -> str:
    return "; ".join(
        f"{name.split(' | ')[0]}: {result['alarms']} of {result['streams']:,}, "
        f"{result['alarms_object_by_object']} of them object by object"
        for name, result in tasks.items()
        if name.endswith("| healthy")
    )


def _found(tasks: Tasks) -> str:
    rows = []
    for target, kind, strength, result, fresh in _worn(tasks):
        delays = [STREAM + 1 if delay is None else delay for delay in result["delays"]]
        found = [delay for delay in delays if 0 < delay <= STREAM]
        middle = np.median([max(delay, 1) for delay in delays])
        rows.append(
            [
                target, kind, strength, f"{result['accuracy']:.1f}", f"{fresh - result['accuracy']:.1f}",
                f"{result['estimated_loss']:.1f}", f"{len(found)} of {len(delays)}",
                f"{middle:.0f}" if middle <= STREAM else "none",
            ]
        )  # fmt: skip
    columns = [
        "sensor",
        "wear",
        "strength",
        "right",
        "lost",
        "estimated",
        "found",
        "contacts until the alarm",
    ]
    return _table(columns, rows, 2)


def _repaired(tasks: Tasks) -> str:
    rows = []
    for target, kind, _, result, fresh in _worn(tasks):
        cells = result["repaired"]
        if cells:
            old = np.mean([draw["old"] for draws in cells.values() for draw in draws])
            pairs = [
                f"{np.mean([draw[key] for draw in cells[str(n)]]):.1f}"
                for n in LABELS
                for key in ("anew", "kept")
            ]
            rows.append([target, kind, f"{fresh:.1f}", f"{old:.1f}", *pairs])
    columns = [
        "sensor",
        "wear",
        "as new",
        "worn",
        *(f"{n}, {word}" for n in LABELS for word in ("anew", "kept")),
    ]
    return _table(columns, rows, 2)


def _worn(tasks: Tasks) -> Iterable[tuple[str, str, str, dict[str, Any], float]]:
    for name, result in tasks.items():
        target, kind, *strength = name.split(" | ")
        if strength:
            yield target, kind, strength[0], result, tasks[f"{target} | healthy"]["accuracy"]


def _kind(pair: str) -> str:
    return "simulated" if pair.split(" → ")[1] in SENSORS else "real"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], texts: int) -> str:
    """Markdown; the first ``texts`` columns stand on the left."""
    line: Callable[[Sequence[str]], str] = lambda cells: f"| {' | '.join(cells)} |"  # noqa: E731
    rule = "|" + "---|" * texts + "--:|" * (len(columns) - texts)
    return "\n".join([line(columns), rule, *map(line, rows)]) + "\n"


if __name__ == "__main__":
    main()
