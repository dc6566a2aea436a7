"""Two sensors of one kind: the source's classifier unchanged, comparisons that keep its contacts, and ours."""

from __future__ import annotations

from collections.abc import Sequence

from bideta.protocol.real.methods import SOURCE
from bideta.protocol.real.splits import LATE, has_source
from bideta.protocol.records import Record
from bideta.report.figures import real as figures
from bideta.report.formats.markdown import escape, table
from bideta.report.real_values import answers, best_of, compare, detailed, grouped, labels, mean_of, rivals

UNLABELLED = ("frozen", SOURCE)  # labels change nothing: one figure for all


def pair_table(records: Sequence[Record]) -> str:
    """Pairs of sensors: the source's classifier unchanged, then labels of the new sensor."""
    rows = []
    for name, source, curve in figures.pairs(records):
        values = [f"{value:.0f}" for value in curve.values()]
        rows.append([*map(escape, name), f"{source:.0f}", *values])
        counts = [f"{n} label{'' if n == '1' else 's'}" for n in curve]
        head = ["from", "to", "encoder", "source, unchanged", *counts]
    return table(head, rows, stub=3) if rows else ""


def source_tables(records: Sequence[Record]) -> list[str]:
    """For every pair, with the encoders of the tables of places: who knows the source and who does not, by labels."""
    shown = detailed(records)
    sourced = [r for r in records if has_source(r.cell.target) and r.cell.encoder in shown]
    parts = []
    for (encoder, target, dataset), group in grouped(
        sourced, lambda r: (r.cell.encoder, r.cell.target, r.cell.dataset)
    ).items():
        late = [
            r
            for r in answers(records)
            if (r.cell.encoder, r.cell.dataset, r.cell.target) == (encoder, dataset, LATE)
        ]
        numbers = sorted({labels(r) for r in late})
        methods = grouped(group, lambda r: r.cell.method)
        if len(methods) < 2 or not late:
            continue
        order = sorted(methods, key=lambda name: (name not in UNLABELLED, name))
        rows = [_row(name, methods[name], numbers) for name in order]
        without = {n: compare(r for r in late if labels(r) == n) for n in numbers}
        ours = figures.leading_preset(late)
        count = max(len(rivals(means)) for means in without.values())
        best = [f"{value['accuracy']:.0f}" if value else "–" for value in map(best_of, without.values())]
        seeds = str(len({r.cell.seed for r in late}))
        rows.append((f"best of {count} comparisons without a source", seeds, "", *best))
        mine = [f"{means[ours]['accuracy']:.0f}" if ours in means else "–" for means in without.values()]
        rows.append((f"**bideta, preset `{ours}`, without a source**", seeds, "", *mine))
        head = ["method", "draws", "no label", *map(str, numbers)]
        title = f"### {escape(target.removeprefix('source '))} → {escape(dataset)}, {escape(encoder)}"
        parts.append(f"{title}\n\n" + table(head, rows))
    return parts


def _row(method: str, group: Sequence[Record], numbers: Sequence[int]) -> tuple[str, ...]:
    draws = str(len({r.cell.seed for r in group}))
    if method in UNLABELLED:
        name = "source's LDA, unchanged" if method == SOURCE else f"{method}: source's logistic regression"
        return name, draws, f"{mean_of(group)['accuracy']:.0f}", *("" for _ in numbers)
    found = grouped(group, labels)
    values = (f"{mean_of(found[n])['accuracy']:.0f}" if n in found else "–" for n in numbers)
    return escape(method), draws, "", *values
