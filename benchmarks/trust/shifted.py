"""``python -m benchmarks.trust.shifted --real DIR [--cache DIR] [--quick]``: is a shifted batch's reliability honest?

Real sets; half of the presses of every class are asked about (at most 300 contacts), as they are and changed: blurred,
brighter, darker, flat, noisy, moved, turned, compressed; and another day's. From the others 2 to 20 contacts of every
class are labelled, three draws. Of every cell: the level that the check gives, the share of right answers, the mean
reliability and its mean lower bound. Writes results/shifted.json and a part of docs/evidence/promises.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import machine, results
from benchmarks.trust.foreign_changes import DAY, GENUINE, Picture
from benchmarks.trust.options import read_options
from benchmarks.trust.recordings import Recording, real
from benchmarks.trust.shifted_changes import SHIFTS
from bideta.classifier import Classifier
from bideta.datasets import Frames
from bideta.deploy import reject
from bideta.images.batch_check import STRANGERS
from bideta.images.looks import sketches
from bideta.images.reading import read_image
from bideta.presets import TOUCH
from bideta.protocol.readout_cache import read_or_encode
from bideta.protocol.real.sets import find_sets
from bideta.service.answers import answer
from bideta.service.choices import DEFAULT_ENCODER
from bideta.service.plugins import load_plugin

SETS = (
    "gelsight-mini-day1",
    "gelsight-mini-day2",
    "gelsight-mini-b-day1",
    "gelsight-mini-objects",
    "gelsight-wedge-balls",
    "tactip-braille",
)
OTHER_DAY = {"gelsight-mini-day1": "gelsight-mini-day2", "gelsight-mini-day2": "gelsight-mini-day1"}
NAME, SHOTS, DRAWS, ASKED = "shifted", (2, 5, 10, 20), 3, 300
RISK = 0.1
LEVELS = ("fine", "shifted", STRANGERS, "foreign")


@dataclass(frozen=True)
class Cell:
    """What a batch was answered."""

    shots: int
    kind: str
    level: str
    right: float
    reliability: float | None
    lower: float | None
    answered: float | None  # share with a label at ``RISK``
    wrong: float | None  # among them

    @property
    def holds(self) -> bool:
        """Whether the lower bound is at most the share of right answers."""
        return self.lower is not None and self.lower <= self.right


@dataclass(frozen=True)
class Asked:
    """Contacts of one sensor that may be labelled, and batches that are asked about; the last readout is a sketch."""

    known: Recording
    batches: dict[str, Recording]


def main(arguments: Sequence[str] | None = None) -> None:
    """Answer every batch, write the cells and the page."""
    from benchmarks.trust import promised  # whose page has our part

    options = read_options(arguments, NAME, __doc__, "one set")
    if options.real is None:
        raise ValueError("--real is missing; expected the folder of real sets")
    content = {**results.read(options.results, NAME), "machine": machine.facts()}  # what was measured stays
    if options.quick:
        content["tasks"] = {}
    for draw in range(1 if options.quick else DRAWS):
        for name in SETS[:1] if options.quick else SETS:
            one = asked(options.real, options.cache, name)
            for shots in SHOTS[:2] if options.quick else SHOTS:
                task = f"{name} | {shots} | {draw}"
                if task not in content["tasks"]:
                    content["tasks"][task] = {"result": measure(one, shots, draw)}
                    results.write(options.results, NAME, content, rows=True)
    home = results.QUICK_HOME if options.quick else results.ROOT / "docs" / "evidence"
    promised.write_page(options.results, home)
    print(part(results.answers(options.results, NAME)))


def measure(one: Asked, shots: int, draw: int) -> dict[str, list[Any]]:
    """Kind of batch → what ``Cell`` has beside it; None where there is no number."""
    some = one.known.draw(shots, draw)
    *readouts, seen = some.readouts
    adapted = Classifier(**TOUCH).fit(tuple(readouts), some.labels, some.presses, sketches=seen)
    cells: dict[str, list[Any]] = {}
    for kind, batch in one.batches.items():
        X, seen = batch.readouts[:-1], batch.readouts[-1]
        answers = answer(adapted, X, sketches=seen)
        found, check = answers.intervals, answers.check
        right = adapted.classes_[answers.result.proba.argmax(axis=1)] == batch.labels
        numbers: list[Any] = [None] * 4
        if found.known:
            given = reject(adapted, answers.result, X, RISK, held=found.held).accepted
            wrong = float((~right[given]).mean()) if given.any() else None
            numbers = [np.nanmean(found.value), np.nanmean(found.lower), given.mean(), wrong]
        level = STRANGERS if check.kind == STRANGERS else check.level
        cells[kind] = [
            level,
            *(None if number is None else round(float(number), 4) for number in (right.mean(), *numbers)),
        ]
    return cells


def asked(root: Path, cache: Path, name: str) -> Asked:
    """What a set is asked; the other day is asked as it is."""
    known, genuine, paths = _halves(root, cache, name)
    batches = {GENUINE: genuine}
    for kind, change in SHIFTS.items():
        place = cache / f"shifted-{name}-{kind.replace(' ', '-')}.npz"
        batches[kind] = Recording(_changed(place, paths, change), genuine.labels, genuine.presses)
    if name in OTHER_DAY:
        batches[DAY] = _halves(root, cache, OTHER_DAY[name])[1]
    return Asked(known, batches)


def _halves(root: Path, cache: Path, name: str) -> tuple[Recording, Recording, list[Path]]:
    """Contacts that may be labelled, those that are asked about, and the files of these."""
    one = find_sets(root)[name]
    every = real(root, cache, name)
    rows = np.arange(len(one.labels))
    pool, rest = Recording((rows,), one.labels, one.presses).halves(0)
    some = np.sort(np.random.default_rng(0).permutation(rest.readouts[0])[:ASKED])
    place = cache / f"sketched-{name}.npz"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        np.savez(place, sketches(map(read_image, one.paths)))
    with np.load(place) as file:
        seen = Recording((*every.readouts, file["arr_0"]), one.labels, one.presses)
    return seen[pool.readouts[0]], seen[some], [one.paths[row] for row in some]


def _changed(
    place: Path, paths: Sequence[Path], change: Callable[[Picture], Picture]
) -> tuple[NDArray[np.float32], ...]:
    """Readouts and sketches of changed pictures, made once."""
    if not place.exists():
        images = [change(read_image(path)) for path in paths]
        rows = np.arange(len(images))
        frames = Frames(np.stack(images), np.zeros_like(rows), [""] * len(images), rows)
        np.savez(
            place, *read_or_encode(load_plugin("encoder", DEFAULT_ENCODER, {}), frames), sketches(images)
        )
    with np.load(place) as file:
        return tuple(file[key] for key in file)


def part(tasks: dict[str, dict[str, list[Any]]]) -> str:
    """A part of the page; nothing where nothing was measured."""
    if not tasks:
        return ""
    cells = [
        Cell(int(name.split(" | ")[1]), kind, *facts)
        for name, record in tasks.items()
        for kind, facts in record.items()
    ]
    lines = ["", HEAD, _answer([cell for cell in cells if cell.kind != GENUINE]), KINDS, "|---" * 10 + "|"]
    for kind in dict.fromkeys((GENUINE, *SHIFTS, DAY, *(cell.kind for cell in cells))):
        mine = [cell for cell in cells if cell.kind == kind]
        if mine:
            levels = [sum(cell.level == level for cell in mine) for level in LEVELS]
            row = [kind, *map(str, levels), _percent([cell.right for cell in mine]), _numbers(mine)]
            lines.append(f"| {' | '.join(row)} |")
    lines += ["", BY_LABELS, "|---" * 9 + "|"]
    for title, level in (("genuine", "fine"), ("changed", "fine"), ("changed", "shifted")):
        for shots in SHOTS:
            mine = [
                cell
                for cell in cells
                if (cell.kind == GENUINE) == (title == "genuine")
                and (cell.level, cell.shots) == (level, shots)
                and cell.lower is not None
            ]
            if mine:
                given = [cell.wrong for cell in mine if cell.wrong is not None]
                promised = [_percent([cell.answered or 0.0 for cell in mine]), _percent(given)]
                above = f"{sum(wrong > RISK for wrong in given)} of {len(given)}"
                row = [f"{title}, {level}", str(shots), _numbers(mine), *promised, above]
                lines.append(f"| {' | '.join(row)} |")
    return "\n".join([*lines, ""])


def _answer(changed: Sequence[Cell]) -> str:
    """The part in a few lines."""
    known, silent = (
        [cell for cell in changed if cell.level == level and cell.lower is not None]
        for level in ("shifted", "fine")
    )
    beyond = max((100 * (cell.lower - cell.right) for cell in known if cell.lower is not None), default=0.0)
    few = sum(cell.lower is None and cell.level in ("shifted", "fine") for cell in changed)
    withheld = sum(cell.level in (STRANGERS, "foreign") for cell in changed)
    broken = sum(not cell.holds for cell in known)
    return (
        f"**Of {len(known)} changed batches that were called shifted and had a number, the lower bound was too high in "
        f"{broken or 'none'}**,\nby {max(0.0, beyond):.0f} points at most; of {len(silent)} that were called fine in "
        f"{sum(not cell.holds for cell in silent) or 'none'}. {withheld} of {len(changed)} changed batches were\n"
        f"called foreign or strangers, so their number was withheld; {few} had too few labels to say.\n"
    )


def _numbers(cells: Sequence[Cell]) -> str:
    """Of the cells with a number: right, reliability, lower bound, and how often that holds."""
    known = [cell for cell in cells if cell.lower is not None]
    shares = (
        _percent([float(getattr(cell, name)) for cell in known]) for name in ("right", "reliability", "lower")
    )
    return f"{' | '.join(shares)} | {sum(cell.holds for cell in known)} of {len(known)}"


def _percent(values: Sequence[float]) -> str:
    return f"{100 * np.mean(values):.1f} %" if len(values) else "–"


KINDS = (
    "| batch | fine | shifted | strangers | foreign | all: right | with a number: right | reliability "
    "| its lower bound | bound holds |"
)
BY_LABELS = (
    "| batch | labels per class | right | reliability | its lower bound | bound holds | answered at 10 % risk | "
    "wrong among them | cells above |"
)
HEAD = """\
## Shifted batches

The same question of a sensor's own pictures once focus, lamps, camera or file format have changed, and of another day's
([what is done](../how-to/foreign-pictures.md)). Six real sets, half of the presses of every class are asked about (at
most 300 contacts); from the others 2, 5, 10 or 20 contacts of every class are labelled, three draws; preset touch,
default encoder. Blurred: by 0.3 and 1 % of the width (standard deviation); less contrast: 0.7 of it; noise: 10 of 255;
moved: by 5 % of the width; turned: by 3 degrees; JPEG: quality 15. The Wedge has too few presses for a number.

    python -m benchmarks.trust.shifted --real DIR

How the reliability of a shifted batch is found was chosen on draw 0, without a constant to fit; draws 1 and 2 had no
say. *Strangers*: the readouts are so far off that they may be of objects that were never enrolled; then, as for foreign
batches, no number is given.
"""


if __name__ == "__main__":
    main()
