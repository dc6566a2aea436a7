"""``python -m benchmarks.trust.strangers --real DIR [--cache DIR] [--quick]``: are unknown objects noticed?

Some classes of a sensor are enrolled with 2 to 10 labels each. Batches of 1 to all other contacts are then answered:
genuine ones, eight in a row, later ones than the labelled, the other day's, half strangers, only strangers. Counted are
warnings, and what the reliability says of the batches without one. What results/strangers.json has is not measured
again; writes it and the last part of docs/evidence/foreign.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import machine, results
from benchmarks.trust.options import read_options
from benchmarks.trust.recordings import Recording, real, twin
from bideta.classifier import Classifier
from bideta.deploy import HeldOut, hold_out, reliability_intervals
from bideta.deploy.trust.strangers import STRANGERS
from bideta.presets import TOUCH
from bideta.sim import SENSORS

TWIN = {"Mini_1": (8,), "Hex": (8,)}  # recording → how many of its classes are enrolled
REAL = {
    "gelsight-mini-objects": (5, 10, 37),
    "gelsight-mini-day1": (3, 5),
    "gelsight-mini-day2": (3, 5),
    "tactip-braille": (5, 28),
}
OTHER_DAY = {
    "gelsight-mini-day1": "gelsight-mini-day2",
    "gelsight-mini-day2": "gelsight-mini-day1",
}
SHOTS = (2, 3, 5, 10)
DRAWS = (4, 5)  # the limit was chosen on draws 0 to 3
FACTS = (
    "batches",
    "too few labels",
    "warned",
    "sum of reliabilities",
    "sum of lower bounds",
)  # of a kind and size
ASKED = 600  # contacts, at most
BATCHES = {1: 8, 8: 6, 64: 2, 10**6: 1}  # size → how many are drawn; the last: all contacts
ALL = max(BATCHES)
GENUINE, ROW, LATER, DAY, HALF, ONLY = (
    "genuine",
    "genuine, 8 in a row",
    "genuine, later presses",
    "the other day",
    "half strangers",
    "strangers",
)
NAME = "strangers"
ORDER = (GENUINE, ROW, LATER, DAY, HALF, ONLY)
GROUPS = {"real": "Real recordings", "simulated": "Simulated: two of the twin sensors"}
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Cell:
    """An adapted sensor and what may be asked of it."""

    adapted: Classifier
    contacts: dict[str, Recording]  # GENUINE, DAY, ONLY; or LATER

    def batches(self, rng: np.random.Generator) -> Iterator[tuple[str, int, Recording]]:
        """Kind, size and contacts."""
        for size, count in BATCHES.items():
            for _ in range(count):
                for kind, some in self.contacts.items():
                    yield kind, size, some[_drawn(some, size, rng)]
                if size > 1 and ONLY in self.contacts:
                    known, strange = self.contacts[GENUINE], self.contacts[ONLY]
                    half = min(size // 2, len(known.labels), len(strange.labels))
                    yield (
                        HALF,
                        size,
                        known[_drawn(known, half, rng)].after(strange[_drawn(strange, half, rng)]),
                    )
        if GENUINE not in self.contacts:
            return
        known = self.contacts[GENUINE]
        for _ in range(BATCHES[8]):
            start = int(rng.integers(0, max(1, len(known.labels) - 7)))
            yield ROW, 8, known[np.arange(start, min(start + 8, len(known.labels)))]


def main(arguments: Sequence[str] | None = None) -> None:
    """Answer every batch, write the counts and the page."""
    from benchmarks.trust import foreign  # whose page has our part

    options = read_options(arguments, NAME, __doc__, "one small sensor")
    content = {**results.read(options.results, NAME), "machine": machine.facts()}  # what was measured stays
    if options.quick:
        content["tasks"] = {}
    for name, enrolled, recording, other in sets(options):
        for classes in enrolled:
            for shots in SHOTS[:2] if options.quick else SHOTS:
                task = f"{'real' if name in REAL else 'simulated'} | {name} | {classes} | {shots}"
                if task in content["tasks"]:
                    continue
                counts: dict[str, list[float]] = {}
                for draw in DRAWS[:1] if options.quick else DRAWS:
                    for batch, *numbers in answered(recording, other, classes, shots, draw, name in REAL):
                        row = counts.setdefault(batch, [0.0] * len(FACTS))
                        counts[batch] = [total + number for total, number in zip(row, numbers, strict=True)]
                record = {batch: [round(number, 2) for number in row] for batch, row in counts.items()}
                content["tasks"][task] = {"result": record}
                results.write(options.results, NAME, content, rows=True)
    home = results.QUICK_HOME if options.quick else results.ROOT / "docs" / "evidence"
    foreign.write_page(options.results, home)
    print(part(results.answers(options.results, NAME)))


def sets(options: Any) -> Iterator[tuple[str, tuple[int, ...], Recording, Recording | None]]:
    """Name, how many classes are enrolled, the contacts, those of the other day."""
    for name, enrolled in REAL.items() if options.real else ():
        other = OTHER_DAY.get(name)
        day = None if other is None else real(options.real, options.cache, other)
        yield name, enrolled, real(options.real, options.cache, name), day
    for name, enrolled in TWIN.items():
        yield name, enrolled, twin(SENSORS[name], options.cache, 4 if options.quick else 30, 1, 3), None
        if options.quick:
            return


def answered(
    recording: Recording, other: Recording | None, classes: int, shots: int, draw: int, in_order: bool
) -> Iterator[tuple[str, int, int, int, float, float]]:
    """ "kind | size" of every batch and its ``FACTS``; ``in_order``: the recording's presses follow each other."""
    for later in (False, True)[: 1 + in_order]:
        one = cell(recording, other, classes, shots, draw, later)
        hidden: dict[int, HeldOut] = {}
        for kind, size, batch in one.batches(np.random.default_rng((draw, classes, shots))):
            result, held = one.adapted.infer(batch.readouts), held_with(one.adapted, batch, hidden)
            found = reliability_intervals(one.adapted, result, batch.readouts, held)
            warned = found.check.kind == STRANGERS
            value, lower = (found.value.mean(), found.lower.mean()) if found.known else (0.0, 0.0)
            yield f"{kind} | {size}", 1, not (warned or found.known), warned, float(value), float(lower)


def cell(
    recording: Recording, other: Recording | None, classes: int, shots: int, draw: int, later: bool = False
) -> Cell:
    """So many classes enrolled with so many labels, and what is asked of them; ``later``: early presses labelled."""
    every = np.unique(recording.labels)
    enrolled = np.random.default_rng((draw, classes)).permutation(every)[:classes]
    pool, asked = recording.in_time() if later else recording.halves(draw)
    some = pool[np.isin(pool.labels, enrolled)].draw(shots, draw)
    known = np.isin(asked.labels, enrolled)
    contacts = {LATER if later else GENUINE: asked[known]}
    if not later and not known.all():
        contacts[ONLY] = asked[~known]
    if other is not None and not later:
        contacts[DAY] = other[np.isin(other.labels, enrolled)]
    adapted = Classifier(**TOUCH).fit(some.readouts, some.labels, some.presses)
    return Cell(adapted, contacts)


def held_with(adapted: Classifier, batch: Recording, hidden: dict[int, HeldOut]) -> HeldOut:
    """Labelled contacts hidden among the batch; of small batches only the size matters."""
    m = len(batch.labels)
    if m >= 64:
        return hold_out(adapted, batch.readouts)
    if m not in hidden:
        hidden[m] = hold_out(adapted, batch.readouts)
    return hidden[m]


def _drawn(contacts: Recording, size: int, rng: np.random.Generator) -> Rows:
    m = len(contacts.labels)
    return np.sort(rng.choice(m, min(size, ASKED, m), replace=False))


def part(tasks: dict[str, dict[str, list[float]]]) -> str:
    """The last part of the page; nothing where nothing was measured."""
    if not tasks:
        return ""
    lines = ["", HEAD]
    for group, title in GROUPS.items():
        rows: dict[tuple[str, int, int], NDArray[np.float64]] = {}
        for name, record in tasks.items():
            of, _, _, shots = name.split(" | ")
            for batch, numbers in record.items() if of == group else ():
                kind, size = batch.split(" | ")
                key = kind, int(size), int(shots)
                rows[key] = rows.get(key, np.zeros(len(FACTS))) + np.array(numbers)
        if not rows:
            continue
        enrolled: dict[str, set[int]] = {}
        for name in tasks:
            of, recording, classes, _ = name.split(" | ")
            if of == group:
                enrolled.setdefault(recording, set()).add(int(classes))
        said = "; ".join(f"{name}: {', '.join(map(str, sorted(of)))}" for name, of in enrolled.items())
        lines += [
            f"### {title}",
            "",
            f"Classes enrolled: {said}.",
            "",
            COLUMNS,
            "|---|---|---|---|---|---|---|",
        ]
        for kind in ORDER:
            for size in BATCHES:
                cells = [rows[kind, size, shots] for shots in SHOTS if (kind, size, shots) in rows]
                if not cells:
                    continue
                shares = [
                    _percent(rows[kind, size, shots]) if (kind, size, shots) in rows else "–"
                    for shots in SHOTS
                ]
                count, few, warned, value, lower = sum(cells)
                quiet = count - few - warned
                said = f"{value / quiet:.2f}, {lower / quiet:.2f}" if quiet else "–"
                lines.append(f"| {kind} | {'all' if size == ALL else size} | {' | '.join(shares)} | {said} |")
        lines.append("")
    return "\n".join(lines)


def _percent(row: NDArray[np.float64]) -> str:
    """Share of the batches with enough labels that were warned of."""
    count, few, warned, *_ = row
    return f"{100 * warned / (count - few):.1f} %" if count > few else "–"


COLUMNS = "| batch | contacts | 2 labels | 3 | 5 | 10 labels | reliability, lower bound without a warning |"
HEAD = """\
## Objects that were never enrolled

Some classes of a sensor are enrolled with 2, 3, 5 or 10 labels each, the others are strangers; preset touch, default
encoder. Counted are batches that are said to hold many contacts that were never enrolled, of those with enough labels
(ten presses that can be hidden; else the reliability is "too few labels to say"). The last column is the mean over the
batches that are not warned of, and of strangers none is right. Pictures were not looked at here. The limit was chosen
on draws 0 to 3 of the same recordings, the table shows draws 4 and 5. "Later presses": the earlier half of every class
is labelled, the later half asked, so the recording's drift lies between them. "The other day" has the enrolled
materials in another session: they are as far from the labels as strangers are, and the warning names both.

    python -m benchmarks.trust.strangers --real DIR
"""


if __name__ == "__main__":
    main()
