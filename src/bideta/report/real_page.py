"""docs/evidence/real.md: measured on real recordings, the leak first; charts beside it, no recorded picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from bideta.images.files import write_atomic
from bideta.protocol.real.batches import NAMES as BATCHES
from bideta.protocol.real.cells import LEAK
from bideta.protocol.real.methods import PRESETS, RIVALS, SOURCE
from bideta.protocol.real.splits import is_leak_free
from bideta.protocol.records import Record
from bideta.report.figures import Figure
from bideta.report.figures import real as figures
from bideta.report.formats.markdown import escape, table
from bideta.report.real_default import answer, default_tables
from bideta.report.real_texts import COMMANDS, HEAD, LEAK_TEXT, PAIR_TEXT, PROTOCOL, SOURCES

Key = tuple[str, ...]
Values = Mapping[str, float]
CLOSE = 1.5  # points, less than what one more draw may change


def write(records: Sequence[Record], page: Path) -> None:
    """The page and its charts in ``images/real`` beside it."""
    good = [record for record in records if record.cell.experiment == "real" and record.status == "ok"]
    if not good:
        raise ValueError("no record of bench real is good; run bideta bench real first")
    folder = page.parent / "images" / "real"
    folder.mkdir(parents=True, exist_ok=True)
    charts = figures.draw(good, folder)
    parts = [
        "# Real recordings",
        *answer(good),
        HEAD,
        summary(good),
        *default_tables(good),
        LEAK_TEXT,
        leak_table(good),
        *_shown(charts, "leak", page),
        PROTOCOL,
    ]
    parts += [f"## Figures that drift cannot flatter\n\n{_legend(good)}", *_shown(charts, "labels", page)]
    parts += details(good, is_leak_free)
    if any(is_leak_free(record.cell.target) for record in answers(good)):
        parts.append(behind(good))
    pairs = pair_table(good)
    if pairs:
        parts += [PAIR_TEXT, pairs, *_shown(charts, "pair", page)]
    parts += batch_tables(good)
    parts += ["## Figures within a recording: read them beside the leak", *within_table(good)]
    parts += [SOURCES, COMMANDS, _provenance(good)]
    write_atomic(page, ("\n\n".join(parts) + "\n").encode())


def mean_by(records: Iterable[Record], key: Callable[[Record], Key]) -> dict[Key, dict[str, float]]:
    """Mean of every value over the records of one key, in per cent."""
    groups: dict[Key, list[Values]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record.values)
    return {
        name: {
            value: 100 * float(np.mean([one[value] for one in group if value in one])) for value in group[0]
        }
        for name, group in groups.items()
    }


def answers(records: Iterable[Record], batch: str = "balanced") -> list[Record]:
    """Records of methods that were taught on the sensor itself."""
    return [
        record
        for record in records
        if record.cell.target != LEAK and record.cell.method != SOURCE and record.cell.variant == batch
    ]


def summary(records: Sequence[Record]) -> str:
    """Mean over the leak-free splits and numbers of labels: encoder × method, per frame and per press."""
    free = [record for record in answers(records) if is_leak_free(record.cell.target)]
    if not free:
        return "No split that drift cannot flatter was measured yet."
    splits = {(record.cell.dataset, record.cell.target) for record in free}
    cells = complete_means(free)
    methods = _methods(free)
    rows = [
        [escape(encoder), *_best([cells.get((encoder, method)) for method in methods])]
        for encoder in _encoders(free)
    ]
    count = f"mean over {len(splits)} splits and {len({r.cell.budget for r in free})} numbers of labels"
    return (
        f"Accuracy in per cent, per frame / per press, {count}, leak-free splits only. Best per frame "
        "bold; – where splits are missing:\n\n" + table(["encoder", *methods], rows)
    )


def behind(records: Sequence[Record]) -> str:
    """Every row in which some comparison is ahead of the first preset by more than ``CLOSE`` points, per frame."""
    free = [record for record in answers(records) if is_leak_free(record.cell.target)]
    ours = _methods(free)[0]
    means = mean_by(
        free, lambda r: (r.cell.encoder, r.cell.dataset, r.cell.target, r.cell.budget, r.cell.method)
    )
    places = [key[:4] for key in means if key[4] == ours]
    rows = []
    for place in places:
        rivals = {m: means[*place, m]["accuracy"] for m in RIVALS if (*place, m) in means}
        best = max(rivals, key=lambda method: rivals[method], default="")
        gap = rivals[best] - means[*place, ours]["accuracy"] if best else 0.0
        if gap > CLOSE:
            names = [*map(escape, place[:3]), best, place[3].removesuffix("-shot"), f"{gap:.1f}"]
            rows.append(names)
    text = f"of {len(places)} rows a comparison is ahead of `{ours}` by more than {CLOSE} points per frame"
    if not rows:
        return f"In none {text}."
    head = ["encoder", "set", "split", "comparison", "labels", "points ahead"]
    return f"In {len(rows)} {text}:\n\n" + table(head, rows, stub=4)


def complete_means(records: Sequence[Record]) -> dict[Key, dict[str, float]]:
    """Mean of every (encoder, method) that was measured on all splits and labels: others cannot be compared."""
    asked: dict[Key, set[Key]] = {}
    for r in records:
        place = r.cell.dataset, r.cell.target, r.cell.budget, str(r.cell.seed)
        asked.setdefault((r.cell.encoder, r.cell.method), set()).add(place)
    most = max(map(len, asked.values()))
    whole = [r for r in records if len(asked[r.cell.encoder, r.cell.method]) == most]
    return mean_by(whole, lambda r: (r.cell.encoder, r.cell.method))


def leak_table(records: Sequence[Record]) -> str:
    """Set × encoder: told, late half, chance."""
    leaks = [record for record in records if record.cell.target == LEAK]
    rows = [
        [
            escape(record.cell.dataset),
            record.cell.variant,
            escape(record.cell.encoder),
            *(f"{100 * record.values[name]:.0f}" for name in ("accuracy", "late", "chance", "bound")),
        ]
        for record in sorted(leaks, key=lambda record: (record.cell.dataset, record.cell.encoder))
    ]
    head = ["set", "seen", "encoder", "told", "late half", "chance", "blind, at most"]
    return table(head, rows, stub=3)


def details(records: Sequence[Record], wanted: Callable[[str], bool]) -> list[str]:
    """One table per encoder: set, split and labels × method."""
    chosen = [record for record in answers(records) if wanted(record.cell.target)]
    cells = mean_by(
        chosen, lambda r: (r.cell.encoder, r.cell.dataset, r.cell.target, r.cell.budget, r.cell.method)
    )
    methods = _methods(chosen)
    parts = []
    for encoder in _encoders(chosen):
        rows = []
        for dataset, target in sorted(
            {(r.cell.dataset, r.cell.target) for r in chosen if r.cell.encoder == encoder}
        ):
            for budget in _budgets(chosen):
                found = [cells.get((encoder, dataset, target, budget, method)) for method in methods]
                if any(found):
                    labels = budget.removesuffix("-shot")
                    rows.append([escape(dataset), escape(target), labels, *_best(found)])
        parts.append(f"### {escape(encoder)}\n\n" + table(["set", "split", "labels", *methods], rows, stub=2))
    return parts


def within_table(records: Sequence[Record]) -> list[str]:
    """Set and split × encoder, first preset, mean over labels: short, since the leak flatters it."""
    ours = figures.leading_preset(records)
    chosen = [r for r in answers(records) if not is_leak_free(r.cell.target) and r.cell.method == ours]
    if not chosen:
        return ["Not measured yet."]
    cells = mean_by(chosen, lambda r: (r.cell.dataset, r.cell.target, r.cell.encoder))
    encoders = _encoders(chosen)
    rows = []
    for dataset, target in sorted({(r.cell.dataset, r.cell.target) for r in chosen}):
        found = [cells.get((dataset, target, encoder)) for encoder in encoders]
        leaks = [f"{value['leak']:.0f}" if value and "leak" in value else "–" for value in found]
        rows.append([escape(dataset), escape(target), *_best(found), " / ".join(leaks)])
    return [
        f"Preset `{ours}`, per frame / per press, mean over the numbers of labels; the last column is the leak of the "
        "set as each encoder sees it.\n\n" + table(["set", "split", *encoders, "leak"], rows, stub=2)
    ]


def pair_table(records: Sequence[Record]) -> str:
    """Pairs of sensors: the source's classifier unchanged, then labels of the new sensor."""
    rows = []
    for name, source, curve in figures.pairs(records):
        values = [f"{value:.0f}" for value in curve.values()]
        rows.append([*map(escape, name), f"{source:.0f}", *values])
        counts = [f"{n} label{'' if n == '1' else 's'}" for n in curve]
        head = ["from", "to", "encoder", "source, unchanged", *counts]
    return table(head, rows, stub=3) if rows else ""


def batch_tables(records: Sequence[Record]) -> list[str]:
    """Batch × method, mean over leak-free splits and labels, for every encoder with other than balanced batches.

    The balanced row has the splits, labels and draws that other batches were measured with, so that rows compare.
    """

    def place(r: Record) -> tuple[str, str, str, str, str, int]:
        return r.cell.encoder, r.cell.method, r.cell.dataset, r.cell.target, r.cell.budget, r.cell.seed

    free = [
        r
        for r in records
        if r.cell.target != LEAK and r.cell.method != SOURCE and is_leak_free(r.cell.target)
    ]
    asked = {place(r) for r in free if r.cell.variant != "balanced"}
    free = [r for r in free if place(r) in asked]
    if not free:
        return []
    cells = mean_by(free, lambda r: (r.cell.encoder, r.cell.variant, r.cell.method))
    methods = _methods(free)
    labels = sorted({int(r.cell.budget.removesuffix("-shot")) for r in free})
    parts = [
        "## Batches that are not balanced\n\nMean over leak-free splits, draws and "
        f"{' and '.join(map(str, labels))} labels per class."
    ]
    for encoder in _encoders(free):
        rows = []
        for batch in BATCHES:
            asked_so = [r.cell for r in free if (r.cell.encoder, r.cell.variant) == (encoder, batch)]
            if asked_so:
                splits = {(cell.dataset, cell.target) for cell in asked_so}
                draws = {cell.seed for cell in asked_so}
                found = _best([cells.get((encoder, batch, method)) for method in methods])
                rows.append([escape(batch), str(len(splits)), str(len(draws)), *found])
        head = ["batch", "splits", "draws", *methods]
        parts.append(f"### {escape(encoder)}, by batch\n\n" + table(head, rows))
    return parts


def _best(found: Sequence[Values | None]) -> list[str]:
    """``frame / press`` of every method; the best per frame bold."""
    top = max((round(value["accuracy"], 1) for value in found if value), default=0.0)
    texts = []
    for value in found:
        text = "–" if not value else f"{value['accuracy']:.1f} / {value['by_press']:.1f}"
        texts.append(f"**{text}**" if value and round(value["accuracy"], 1) == top else text)
    return texts


def _methods(records: Iterable[Record]) -> list[str]:
    there = {record.cell.method for record in records}
    return [name for name in (*PRESETS, *sorted(there - set(PRESETS))) if name in there]


def _encoders(records: Iterable[Record]) -> list[str]:
    return sorted({record.cell.encoder for record in records}, key=lambda name: (name.count("+"), name))


def _budgets(records: Iterable[Record]) -> list[str]:
    return sorted(
        {record.cell.budget for record in records}, key=lambda budget: int(budget.removesuffix("-shot"))
    )


def _legend(records: Sequence[Record]) -> str:
    draws = len({record.cell.seed for record in answers(records)})
    return (
        f"Per frame / per press, mean of {draws} draws; best per frame bold. *labels* are labelled frames per class, "
        "of different presses as far as there are any. All methods see the same readouts and the same contacts."
    )


def _shown(charts: Mapping[str, Figure], name: str, page: Path) -> list[str]:
    if name not in charts:
        return []
    chart = charts[name]
    return [f"![{chart.alt}]({chart.path.relative_to(page.parent).as_posix()})\n\n{chart.caption}"]


def _provenance(records: Sequence[Record]) -> str:
    commits = ", ".join(sorted({record.commit for record in records if record.commit})) or "unknown"
    versions = records[-1].versions
    said = ", ".join(f"{name} {versions[name]}" for name in ("bideta", "python", "numpy") if name in versions)
    return f"{len(records)} records; commit {commits}; {said}."
