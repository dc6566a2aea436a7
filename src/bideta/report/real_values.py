"""Records of bench real side by side: who was measured where, means over draws, the strongest comparisons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bideta.protocol.real.cells import LEAK
from bideta.protocol.real.methods import PRESETS
from bideta.protocol.real.splits import has_source, is_leak_free
from bideta.protocol.records import Record
from bideta.service.choices import DEFAULT_ENCODER

KINDS = {"accuracy": "per frame", "by_press": "per press"}
STRONGEST = 5  # comparisons that a table shows beside the presets
USUAL = "logistic"  # what most would try: shown however strong it is
BRIEF = ("handmade", "efficientnet-lite0", "twin-sparsh")  # encoders of which tables show means alone
Values = Mapping[str, float]


def answers(records: Iterable[Record], batch: str | None = "balanced") -> list[Record]:
    """Records of methods that know the sensor itself and no other; None: of all batches."""
    return [
        r
        for r in records
        if r.cell.target != LEAK and not has_source(r.cell.target) and batch in (None, r.cell.variant)
    ]


def leak_free(records: Iterable[Record], batch: str | None = "balanced") -> list[Record]:
    """``answers`` that drift within a recording cannot flatter."""
    return [r for r in answers(records, batch) if is_leak_free(r.cell.target)]


def grouped(records: Iterable[Record], key: Callable[[Record], Any]) -> dict[Any, list[Record]]:
    """Records by key, in the order of the keys."""
    groups: defaultdict[Any, list[Record]] = defaultdict(list)
    for record in records:
        groups[key(record)].append(record)
    return {name: groups[name] for name in sorted(groups)}


def mean_of(records: Sequence[Record]) -> dict[str, float]:
    """Mean of every value that some of them have, in per cent."""
    names = dict.fromkeys(name for r in records for name in r.values)
    return {
        name: 100 * float(np.mean([r.values[name] for r in records if name in r.values])) for name in names
    }


def compare(records: Iterable[Record]) -> dict[str, dict[str, float]]:
    """Method → means, presets first; only methods that were measured wherever the leading one was."""
    by_method = grouped(records, lambda r: r.cell.method)
    asked = {name: set(map(place, group)) for name, group in by_method.items()}
    order = [*(name for name in PRESETS if name in asked), *(name for name in asked if name not in PRESETS)]
    return {name: mean_of(by_method[name]) for name in order if asked[name] >= asked[order[0]]}


def place(record: Record) -> tuple[str, str, str, int]:
    """Set, split, labels and draw."""
    cell = record.cell
    return cell.dataset, cell.target, cell.budget, cell.seed


def rivals(methods: Iterable[str]) -> list[str]:
    """Those of the methods that are comparisons, not presets of ours."""
    return [name for name in methods if name not in PRESETS]


def columns(records: Iterable[Record]) -> list[str]:
    """Methods that a table shows: presets, the comparisons that are strongest in these records, and a usual one."""
    means = compare(records)
    others = sorted(rivals(means), key=lambda name: -means[name]["accuracy"])
    chosen = [*others[:STRONGEST], *(name for name in others[STRONGEST:] if name == USUAL)]
    return [*(name for name in PRESETS if name in means), *chosen]


def best_of(means: Mapping[str, Values]) -> dict[str, float]:
    """The largest value of any comparison, per frame and per press; nothing where none was measured."""
    others = rivals(means)
    return {kind: max(means[name][kind] for name in others) for kind in KINDS} if others else {}


def entries(found: Sequence[Values | None]) -> list[str]:
    """``frame / press`` of each; the best per frame bold."""
    top = max((round(value["accuracy"], 1) for value in found if value), default=0.0)
    texts = []
    for value in found:
        text = "–" if not value else f"{value['accuracy']:.1f} / {value['by_press']:.1f}"
        texts.append(f"**{text}**" if value and round(value["accuracy"], 1) == top else text)
    return texts


def encoders(records: Iterable[Record]) -> list[str]:
    """Names of the encoders, the default first."""
    return sorted({r.cell.encoder for r in records}, key=lambda name: (name != DEFAULT_ENCODER, name))


def detailed(records: Iterable[Record]) -> list[str]:
    """Encoders whose single places are shown."""
    known = encoders(records)
    return [name for name in known if name not in BRIEF] or known


def labels(record: Record) -> int:
    """Labelled contacts per class."""
    return int(record.cell.budget.removesuffix("-shot"))
