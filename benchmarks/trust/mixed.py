"""``python -m benchmarks.trust.mixed --real DIR``: are four foreign pictures noticed among forty of the sensor's own?

Real sets with colours; 2 and 5 labelled pictures of every class, three draws, 15 batches of each. Writes
results/mixed.json and a part of docs/evidence/foreign.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import machine, results
from benchmarks.trust.options import read_options
from bideta.images.looks import look_at, sketches
from bideta.images.odd_pictures import check_batch
from bideta.images.reading import read_image
from bideta.protocol.real.sets import find_sets

NAME, PICTURES, LABELLED, DRAWS, BATCHES = "mixed", 240, (2, 5), 3, 15
SIZE, FOREIGN = 40, 4  # pictures of a batch, and how many of them are changed
OWN = "none"
SETS = (
    "gelsight-mini-day1",
    "gelsight-mini-day2",
    "gelsight-mini-b-day1",
    "gelsight-mini-objects",
    "gelsight-wedge-balls",
)
Picture = NDArray[np.uint8]


def main(arguments: Sequence[str] | None = None) -> None:
    """Look at every batch, write the counts and the page."""
    from benchmarks.trust import foreign  # whose page has our part

    options = read_options(arguments, NAME, __doc__, "one set")
    content: dict[str, Any] = {"machine": machine.facts(), "tasks": {}}
    if options.real is None:
        raise ValueError("--real is missing; expected the folder of real sets")
    for name in SETS[:1] if options.quick else SETS:
        content["tasks"][name] = {
            "result": measure(find_sets(options.real)[name], foreign.CHANGES | foreign.LAMPS)
        }
        results.write(options.results, NAME, content)
    home = results.QUICK_HOME if options.quick else results.ROOT / "docs" / "evidence"
    foreign.write_page(options.results, home)
    print(part(results.answers(options.results, NAME)))


def measure(one: Any, changes: dict[str, Callable[[Picture], Picture]]) -> dict[str, list[int]]:
    """Change → batches, those in which all four were named, in which another picture was, changed pictures alike."""
    rng = np.random.default_rng(0)
    some = np.sort(rng.permutation(len(one.paths))[:PICTURES])
    images = [read_image(one.paths[row]) for row in some]
    labels, presses = one.labels[some], one.presses[some]
    seen = {OWN: sketches(images)}
    for kind, change in changes.items():
        seen[kind] = sketches(np.ascontiguousarray(change(picture)) for picture in images)
    counts: Counter[tuple[str, str]] = Counter()
    for draw in range(DRAWS):
        for labelled in LABELLED:
            rng = np.random.default_rng((draw, labelled))
            rows = np.concatenate(
                [rng.permutation(np.flatnonzero(labels == c))[:labelled] for c in np.unique(labels)]
            )
            look = look_at(seen[OWN][rows], presses[rows])
            rest = np.setdiff1d(np.arange(len(labels)), rows)
            for _ in range(BATCHES if look is not None else 0):
                batch = rng.choice(rest, SIZE, replace=False)
                for kind, S in seen.items():
                    mixed = seen[OWN][batch].copy()
                    mixed[:FOREIGN] = S[batch[:FOREIGN]]
                    odd, alike = (set(check_batch(look, pictures).odd) for pictures in (mixed, S[batch]))
                    counts[kind, "batches"] += 1
                    counts[kind, "found"] += set(range(FOREIGN)) <= odd
                    counts[kind, "others"] += bool(odd - set(range(FOREIGN)))
                    counts[kind, "alike"] += bool(alike)
    return {kind: [counts[kind, what] for what in ("batches", "found", "others", "alike")] for kind in seen}


def part(tasks: dict[str, dict[str, list[int]]]) -> str:
    """A part of the page; nothing where nothing was measured."""
    if not tasks:
        return ""
    lines = ["", HEAD, COLUMNS, "|---|---|---|---|---|"]
    for kind in next(iter(tasks.values())):
        batches, *numbers = np.sum([record[kind] for record in tasks.values()], axis=0)
        found, others, alike = (f"{100 * number / batches:.1f} %" for number in numbers)
        lines.append(f"| {kind} | {batches} | {'–' if kind == OWN else found} | {others} | {alike} |")
    return "\n".join([*lines, ""])


COLUMNS = "| change | batches | all four named | another picture named | named where all 40 are changed |"
HEAD = """\
## A few foreign pictures in a batch

Four of forty pictures are changed. A batch is looked at as a whole; where it is not foreign, every picture is looked at
alone. Five real sets with colours, 2 and 5 labelled pictures of every class, three draws. Brighter and darker pictures
are not foreign.

    python -m benchmarks.trust.mixed --real DIR
"""


if __name__ == "__main__":
    main()
