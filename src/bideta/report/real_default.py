"""The default on real recordings: what so many labels give, how far it is from version 0.1 and from comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bideta.protocol.records import Record
from bideta.report.formats.markdown import escape, table
from bideta.report.real_values import KINDS, labels, leak_free, mean_of, rivals
from bideta.service.choices import DEFAULT_ENCODER

DEFAULT = DEFAULT_ENCODER, "touch"
BEFORE = "twin-tvl", "robot"  # the default of version 0.1
COUNTED = (1, 2, 5, 10)  # labels of the comparison
ANSWER = 5  # labels of the first sentence
Place = tuple[str, str, int]  # set, split, labels
Means = Mapping[Place, Mapping[str, float]]


def of_method(records: Sequence[Record], encoder: str, method: str) -> Means:
    """Mean over the draws of every leak-free place, balanced batches, in per cent."""
    found: dict[Place, list[Record]] = {}
    for r in leak_free(records):
        if (r.cell.encoder, r.cell.method) == (encoder, method):
            found.setdefault((r.cell.dataset, r.cell.target, labels(r)), []).append(r)
    return {place: mean_of(group) for place, group in found.items()}


def answer(records: Sequence[Record]) -> list[str]:
    """The page in two lines: what five labels per class give, beside the best comparison of every split."""
    ours = of_method(records, *DEFAULT)
    places = sorted(place for place in ours if place[2] == ANSWER)
    others = measured_rivals(records, places)
    if not places or not others:
        return []
    found, other = ([_mean(means, places, kind) for kind in KINDS] for means in (ours, best(others, places)))
    frames = [ours[place]["accuracy"] for place in places]
    return [
        f"**With {ANSWER} labels per class bideta recognises {found[0]:.0f} % of the frames and {found[1]:.0f} % of "
        f"the presses** of real sensors\n({min(frames):.0f} to {max(frames):.0f} % of the frames, by split). The best "
        f"of {len(others)} comparisons on each split recognises {other[0]:.0f} and {other[1]:.0f} %."
    ]


def measured_rivals(records: Sequence[Record], places: Sequence[Place]) -> dict[str, Means]:
    """The comparisons on the default's readouts that were measured at all ``places``."""
    names = rivals(sorted({r.cell.method for r in leak_free(records) if r.cell.encoder == DEFAULT[0]}))
    found = {name: of_method(records, DEFAULT[0], name) for name in names}
    return {name: means for name, means in found.items() if means.keys() >= set(places)}


def best(measured: Mapping[str, Means], places: Sequence[Place]) -> Means:
    """The largest value of any comparison at every place."""
    return {
        place: {kind: max(means[place][kind] for means in measured.values()) for kind in KINDS}
        for place in places
    }


def default_tables(records: Sequence[Record]) -> list[str]:
    """Both tables, where the default was measured."""
    ours = of_method(records, *DEFAULT)
    return [labels_table(ours), *compared(records, ours)] if ours else []


def labels_table(ours: Means) -> str:
    """Accuracy by number of labels: mean over the leak-free splits, lowest and highest."""
    rows = []
    for n in sorted({place[2] for place in ours}):
        row = [str(n)]
        for kind in KINDS:
            values = [value[kind] for place, value in ours.items() if place[2] == n]
            row.append(f"{np.mean(values):.1f} ({min(values):.0f} to {max(values):.0f})")
        rows.append(row)
    head = ["labels per class", *KINDS.values()]
    return (
        f"## What so many labels give\n\nThe default (`{DEFAULT[0]}`, preset `{DEFAULT[1]}`), leak-free splits: mean, "
        "and in brackets the lowest and the highest split.\n\n" + table(head, rows)
    )


def compared(records: Sequence[Record], ours: Means) -> list[str]:
    """The default beside that of version 0.1 and beside comparisons that see the same readouts, and its worst place."""
    others = {f"`{BEFORE[0]}`, preset `{BEFORE[1]}`: the default of version 0.1": of_method(records, *BEFORE)}
    places = sorted(place for place in ours if place[2] in COUNTED)
    measured = measured_rivals(records, places)
    others |= {
        f"[{name}](../reference/baselines.md), same readouts": means for name, means in measured.items()
    }
    if measured:
        others["the best of these at every place"] = best(measured, places)
    rows = [["**the default**", *(f"**{_mean(ours, places, kind):.1f}**" for kind in KINDS), "", ""]]
    for name, means in others.items():
        if means.keys() >= set(places):
            values = [_mean(means, places, kind) for kind in KINDS]
            gaps = [_mean(ours, places, kind) - value for kind, value in zip(KINDS, values, strict=True)]
            rows.append([name, *(f"{value:.1f}" for value in values), *(f"{gap:+.1f}" for gap in gaps)])
    if len(rows) == 1:
        return []
    head = ["", *KINDS.values(), *(f"default ahead, {kind}" for kind in KINDS.values())]
    text = (
        "## Against version 0.1 and comparisons\n\nMean over "
        f"{len({place[:2] for place in places})} leak-free splits and {', '.join(map(str, COUNTED))} labels per class; "
        "differences of single places are below.\n\n"
    )
    return [text + table(head, rows), *(_worst(ours, measured, places) if measured else [])]


def _worst(ours: Means, measured: Mapping[str, Means], places: Sequence[Place]) -> list[str]:
    """Where the default is closest to, or behind, the best comparison; per frame and per press."""
    lines = []
    for kind, said in KINDS.items():
        gaps = {}
        for place in places:
            best = max(measured, key=lambda name: measured[name][place][kind])
            gaps[place] = ours[place][kind] - measured[best][place][kind], best
        place = min(gaps, key=lambda place: gaps[place][0])
        gap, best = gaps[place]
        lines.append(
            f"{said} {gap:+.1f} against {best} ({escape(place[0])}, {escape(place[1])}, labels: {place[2]}), behind at "
            f"{sum(gap < 0 for gap, _ in gaps.values())} of {len(places)} places"
        )
    return [f"The default's worst place, mean of its draws: {'; '.join(lines)}."]


def _mean(means: Means, places: Sequence[Place], kind: str) -> float:
    return float(np.mean([means[place][kind] for place in places]))
