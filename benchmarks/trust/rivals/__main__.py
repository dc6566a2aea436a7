"""``python -m benchmarks.trust.rivals --root SETS --cache DIR``: measure every rival and write its page.

What is already in results/trust-rivals.json is not measured again (``--again``: it is). ``--page`` only writes the
page, docs/evidence/trust-rivals.md. Needs the dependency group ``trust``.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import results
from benchmarks.trust.rivals import beds, measure, page

NAME = "trust-rivals"
QUESTIONS = ("novelty", "promises", "labels")
DRAWS = 3


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing and write the page."""
    options = _options(arguments)
    folder = options.results or results.folder_of(options.quick)
    content = results.read(folder, NAME)
    if not options.page:
        for _, draws in itertools.groupby(_beds(options), key=lambda bed: bed.name):
            same = list(draws)
            kind = "simulated" if same[0].simulated else "real"
            for question in options.question or QUESTIONS:
                for n in (0,) if question == "labels" else measure.LABELS:
                    key = f"{question} | {kind} | {same[0].name} | {n}"
                    if key in content["tasks"] and not options.again:
                        continue
                    start = time.perf_counter()
                    numbers = measure.together([ask(bed, question, n) for bed in same])
                    content["tasks"][key] = {"result": numbers | {"draws": len(same)}}
                    print(f"{time.perf_counter() - start:6.1f} s  {key}", flush=True)
                    results.write(folder, NAME, content, rows=True)
    docs = (results.QUICK_HOME if options.quick else results.ROOT) / "docs"
    page.write(docs, results.answers(folder, NAME))


def ask(bed: beds.Bed, question: str, per_class: int) -> dict[str, Any]:
    """The numbers of one question about one draw."""
    if question == "labels":
        return measure.labels(bed)
    return measure.novelty(bed, per_class) if question == "novelty" else measure.promises(bed, per_class)


def _beds(options: argparse.Namespace) -> Iterator[beds.Bed]:
    draws = 1 if options.quick else options.draws
    sensors = beds.SENSORS[:1] if options.quick else beds.SENSORS
    twin = beds.twin_beds(options.cache, draws, 0.05 if options.quick else beds.SCALE, sensors)
    real = () if options.root is None else beds.real_beds(options.root, options.cache, draws)
    return itertools.chain(real, twin)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust.rivals", description=__doc__)
    parser.add_argument("--root", type=Path, help="folder of real sets; without it the twin only")
    parser.add_argument("--cache", type=Path, help="folder of readouts, as bideta bench --cache")
    parser.add_argument("--question", action="append", choices=QUESTIONS, help="only these (may be repeated)")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--results", type=Path, help="folder of the JSON results")
    parser.add_argument("--again", action="store_true", help="measure again what is already measured")
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--quick", action="store_true", help="one small sensor; written to build/benchmarks")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
