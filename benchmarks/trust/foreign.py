"""``python -m benchmarks.trust.foreign --real DIR [--cache DIR] [--quick]``: are pictures from elsewhere noticed?

Sensors remember how 1 to 20 labelled presses of every class looked, three draws. Batches of 1 to all other pictures are
then looked at: genuine ones, the other day's, brighter and darker ones, and foreign ones: grey, BGR, mirrored, the
middle half, a corner half, another sensor's, untouched. Real sets and the twin (simulated) apart; ``FURTHER`` twin
sensors had no say in any constant. Sensors of quantities, with 20 and 60 labelled contacts, have tables of their own.
Writes results/foreign.json and docs/evidence/foreign.md, whose last parts ``benchmarks.trust.mixed`` and
``benchmarks.trust.strangers`` measure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import machine, results
from benchmarks.trust import mixed, strangers
from benchmarks.trust.foreign_changes import (
    ALL,
    CHANGES,
    CONSECUTIVE,
    DAY,
    EMPTY,
    GENUINE,
    LAMPS,
    OTHER,
    QUANTITIES,
    TURNS,
    Picture,
)
from benchmarks.trust.foreign_page import page
from benchmarks.trust.options import read_options
from benchmarks.trust.recordings import LEVEL
from bideta.images.batch_check import check_pictures
from bideta.images.looks import look_at, sketch, sketches
from bideta.images.reading import read_image
from bideta.protocol.quantity_bench import sets as quantity_sets
from bideta.protocol.real.sets import find_sets
from bideta.sim import HOUSEHOLD, SENSORS, presses, render
from bideta.sim.calibration import untouched

TWIN = ("Mini_1", "Mini_2", "Mini_3", "Mini_4", "Hex", "Wedge")
FURTHER = ("GelSightMarker", "DIGIT")
SAME = {"gelsight-mini-day1": "gelsight-mini-day2", "gelsight-mini-day2": "gelsight-mini-day1"}
COLOURLESS = ("tactip-braille", "tactip-surface/abb", "tactip-surface/cr")  # grey and BGR change nothing
UNITS = ("Mini_1", "Mini_2")  # twins of one make that are asked for quantities
LABELLED, DRAWS, PER_CLASS = (1, 2, 5, 20), 3, 24
LABELLED_CONTACTS = (20, 60)  # of a sensor of quantities
BATCHES = {1: 40, 8: 20, 64: 6, ALL: 1}  # size → how many are drawn
PARTS = {mixed.NAME: mixed.part, strangers.NAME: strangers.part}
Sketches = NDArray[np.float32]


@dataclass(frozen=True)
class Seen:
    """Sketches of a sensor's pictures, as they are and changed."""

    name: str
    group: str
    labels: NDArray[np.int64]
    presses: NDArray[np.int64]
    pictures: dict[str, Sketches]  # "genuine" and the changes
    background: Picture | None = None


def main(arguments: Sequence[str] | None = None) -> None:
    """Look at every batch, write the counts and the page."""
    options = read_options(arguments, "foreign", __doc__, "two small sensors")
    names = TWIN[:2] if options.quick else (*TWIN, *FURTHER)
    seen = [twin(name, options.cache, 4 if options.quick else PER_CLASS) for name in names]
    if options.real and not options.quick:
        seen += [real(options.real, options.cache, name) for name in find_sets(options.real)]
    content: dict[str, Any] = {"machine": machine.facts(), "tasks": {}}
    measured = [measured_twin(name, options.cache, options.quick) for name in UNITS]
    tips: list[Seen] = []
    if options.real and not options.quick:
        tips = [
            measured_real(*found, options.cache) for found in quantity_sets.recorded(options.real).items()
        ]
    several = LABELLED[:2] if options.quick else LABELLED
    for everyone, numbers in ((seen, several), (tips, LABELLED_CONTACTS), (measured, LABELLED_CONTACTS)):
        for labelled in numbers:
            for one in everyone:
                counts: Counter[str] = Counter()
                for draw in range(DRAWS):
                    counts.update(verdicts(one, everyone, labelled, draw))
                content["tasks"][f"{one.group} | {one.name} | {labelled}"] = {"result": dict(counts)}
    results.write(options.results, "foreign", content)
    home = results.QUICK_HOME if options.quick else results.ROOT / "docs" / "evidence"
    print(write_page(options.results, home))


def write_page(folder: Path, home: Path) -> str:
    """The page of what was measured, here and in ``mixed`` and ``strangers``; also written to ``home``."""
    parts = [part(results.answers(folder, name)) for name, part in PARTS.items()]
    text = "".join([page(results.read(folder, "foreign")["tasks"]), *parts])
    home.mkdir(parents=True, exist_ok=True)
    (home / "foreign.md").write_text(text, encoding="utf-8")
    return text


def verdicts(one: Seen, everyone: Sequence[Seen], labelled: int, draw: int) -> Iterator[str]:
    """ "kind | size | level | reason" of every batch."""
    rng = np.random.default_rng((draw, labelled, len(one.labels)))
    rows = np.concatenate([_presses(one, c, labelled, rng) for c in np.unique(one.labels)])
    rest = np.flatnonzero(~np.isin(one.presses, one.presses[rows]))
    look = look_at(one.pictures[GENUINE][rows], one.presses[rows], one.background)
    if look is None or len(rest) < 8:
        return

    def looked_at(kind: str, S: Sketches, batches: Sequence[NDArray[np.intp]], size: int) -> Iterator[str]:
        for batch in batches:
            found = check_pictures(look, S[batch], one.background)
            yield f"{kind} | {size} | {found.level} | {found.kind}"

    def drawn(pool: NDArray[np.intp], size: int, count: int) -> list[NDArray[np.intp]]:
        return [rng.choice(pool, min(size, len(pool)), replace=False) for _ in range(count)]

    kinds = {kind: S for kind, S in one.pictures.items() if kind != EMPTY}
    for size, count in BATCHES.items():
        for kind, S in kinds.items():
            yield from looked_at(kind, S, drawn(rest, size, count), size)
        for other in everyone:
            S = other.pictures[GENUINE]
            if other.name != one.name:
                kind = DAY if SAME.get(one.name) == other.name else OTHER
                some = count if kind == DAY else -(-count // 10)
                yield from looked_at(kind, S, drawn(np.arange(len(S)), size, some), size)
        if one.background is not None:
            S = one.pictures[EMPTY]
            yield from looked_at(EMPTY, S, drawn(np.arange(len(S)), size, count), size)
    starts = rng.integers(0, len(rest) - 7, 20)
    yield from looked_at(CONSECUTIVE, kinds[GENUINE], [rest[start : start + 8] for start in starts], 8)


def _presses(one: Seen, c: int, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """One picture of each of some presses of a class, at most half of them."""
    numbers = rng.permutation(np.unique(one.presses[one.labels == c]))
    chosen = numbers[: min(count, max(1, len(numbers) // 2))]
    return np.array([rng.choice(np.flatnonzero(one.presses == press)) for press in chosen], np.intp)


def twin(name: str, cache: Path, per_class: int) -> Seen:
    """Presses of a simulated sensor, and the sensor untouched."""
    rng = np.random.default_rng((0, 5))
    contacts = presses(
        HOUSEHOLD, np.repeat(np.arange(len(HOUSEHOLD)), per_class), rng, frames=1, ranges=LEVEL.ranges
    )
    place = cache / f"sketches-{name}-{per_class}.npz"
    design = SENSORS[name]
    empty = render(untouched(40), design, seed=rng, conditions=LEVEL.conditions)
    if not place.exists():
        pictures = render(contacts, design, seed=rng, conditions=LEVEL.conditions)
        _keep(place, pictures, list(empty[1:]))
    return Seen(
        name,
        "simulated" if name in TWIN else "simulated, further",
        contacts.object,
        contacts.press,
        _kept(place, name),
        empty[0],
    )


def real(root: Path, cache: Path, name: str) -> Seen:
    """A real set; where it comes with untouched frames, the first of them is its background."""
    one = find_sets(root)[name]
    place = cache / f"sketches-{name}.npz"
    empty = [] if one.untouched is None else sorted(set(one.untouched))
    if not place.exists():
        _keep(place, map(read_image, one.paths), [read_image(path) for path in empty[1:]])
    background = read_image(empty[0]) if empty else None
    return Seen(name, "real", one.labels, one.presses, _kept(place, name), background)


def measured_twin(name: str, cache: Path, quick: bool) -> Seen:
    """A simulated sensor that is asked for quantities."""
    place = cache / f"sketches-quantities-{name}{'-quick' * quick}.npz"
    if not place.exists():
        _keep(place, quantity_sets.twin(name, quick).frames.images, (), TURNS)
    return _measured(name, "simulated", place)


def measured_real(name: str, folder: Path, cache: Path) -> Seen:
    """A recorded sensor with a table of quantities."""
    place = cache / f"sketches-quantities-{name.replace('/', '-')}.npz"
    if not place.exists():
        _keep(place, quantity_sets.read_recorded(name, folder).frames.images, (), TURNS)
    return _measured(name, "real", place)


def _measured(name: str, kind: str, place: Path) -> Seen:
    """Single contacts, each a press, of no class."""
    pictures = _kept(place, name)
    rows = np.arange(len(pictures[GENUINE]))
    return Seen(name, f"{QUANTITIES}{kind}", np.zeros(len(rows), np.int64), rows, pictures)


def _keep(
    place: Path,
    pictures: Any,
    empty: Sequence[Picture],
    more: dict[str, Callable[[Picture], Picture]] | None = None,
) -> None:
    changes = CHANGES | LAMPS | (more or {})
    rows: dict[str, list[Sketches]] = {kind: [] for kind in (GENUINE, *changes)}
    for picture in pictures:
        rows[GENUINE].append(sketch(picture))
        for kind, change in changes.items():
            rows[kind].append(sketch(np.ascontiguousarray(change(picture))))
    place.parent.mkdir(parents=True, exist_ok=True)
    np.savez(place, **{kind: np.array(S) for kind, S in rows.items()}, **{EMPTY: sketches(empty)})


def _kept(place: Path, name: str) -> dict[str, Sketches]:
    with np.load(place) as file:
        return {kind: file[kind] for kind in file if not (name in COLOURLESS and kind in ("grey", "BGR"))}


if __name__ == "__main__":
    main()
