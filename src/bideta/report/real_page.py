"""docs/evidence/real.md: measured on real recordings, the leak first; charts beside it, no recorded picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bideta.images.files import write_atomic
from bideta.protocol.real.batches import NAMES as BATCHES
from bideta.protocol.real.batches import ONE_AT_A_TIME
from bideta.protocol.real.cells import LEAK
from bideta.protocol.real.splits import is_leak_free
from bideta.protocol.records import Record
from bideta.report.figures import Figure
from bideta.report.figures import real as figures
from bideta.report.formats.markdown import escape, table
from bideta.report.real_default import answer, default_tables
from bideta.report.real_pairs import pair_table, source_tables
from bideta.report.real_texts import (
    COMMANDS,
    HEAD,
    LEAK_TEXT,
    PAIR_TEXT,
    PROTOCOL,
    SOURCE_TEXT,
    SOURCES,
    STREAM_TEXT,
)
from bideta.report.real_values import (
    answers,
    best_of,
    columns,
    compare,
    detailed,
    encoders,
    entries,
    grouped,
    labels,
    leak_free,
    mean_of,
    rivals,
)

CLOSE = 1.5  # points, less than what one more draw may change


def write(records: Sequence[Record], page: Path) -> None:
    """The page and its charts in ``images/real`` beside it."""
    good = [record for record in records if record.cell.experiment == "real" and record.status == "ok"]
    if not good:
        raise ValueError("no record of bench real is good; run bideta bench real first")
    folder = page.parent / "images" / "real"
    folder.mkdir(parents=True, exist_ok=True)
    charts = figures.draw(good, folder)
    free = leak_free(good)
    parts = [
        "# Real recordings",
        *answer(good),
        HEAD,
        summary(free),
        *default_tables(good),
        LEAK_TEXT,
        leak_table(good),
        *_shown(charts, "leak", page),
        PROTOCOL,
        f"## Figures that drift cannot flatter\n\n{_legend(free)}",
        *_shown(charts, "labels", page),
        *details(free),
        *([behind(free)] if free else []),
    ]
    pairs = pair_table(good)
    if pairs:
        parts += [PAIR_TEXT, pairs, *_shown(charts, "pair", page)]
    sourced = source_tables(good)
    parts += [SOURCE_TEXT, *sourced] if sourced else []
    parts += batch_tables(good)
    parts += ["## Figures within a recording: read them beside the leak", *within_table(good)]
    parts += [SOURCES, COMMANDS, _provenance(good)]
    write_atomic(page, ("\n\n".join(parts) + "\n").encode())


def summary(free: Sequence[Record]) -> str:
    """Method × encoder, per frame and per press: means over the places at which every encoder was measured."""
    names = encoders(free)
    asked = [{spot(r) for r in free if r.cell.encoder == name} for name in names]
    spots = set.intersection(*asked) if asked else set()
    if not spots:
        return "No split that drift cannot flatter was measured yet with every encoder."
    shared = [[r for r in free if r.cell.encoder == name and spot(r) in spots] for name in names]
    means = [compare(group) for group in shared]
    methods = list(dict.fromkeys(method for found in means for method in found))
    cells = [entries([found.get(method) for method in methods]) for found in means]
    rows = [list(row) for row in zip(map(escape, methods), *cells, strict=True)]
    rows.append(["draws", *(str(len({r.cell.seed for r in group})) for group in shared)])
    return (
        f"Accuracy in per cent, per frame / per press, mean over {len({s[:2] for s in spots})} splits and "
        f"{len({s[2] for s in spots})} numbers of labels, leak-free splits only. Best of each encoder bold; – where "
        "splits are missing:\n\n" + table(["method", *names], rows)
    )


def spot(r: Record) -> tuple[str, str, int]:
    """Set, split, labels."""
    return r.cell.dataset, r.cell.target, labels(r)


def details(free: Sequence[Record]) -> list[str]:
    """One table per encoder: set, split and labels × method."""
    parts = []
    for encoder in detailed(free):
        chosen = [r for r in free if r.cell.encoder == encoder]
        methods = columns(chosen)
        others = rivals(dict.fromkeys(r.cell.method for r in chosen))
        rows = []
        for (dataset, target, n), group in grouped(chosen, spot).items():
            means = compare(group)
            found = entries([*(means.get(method) for method in methods), best_of(means)])
            rows.append([escape(dataset), escape(target), str(n), *found])
        head = ["set", "split", "labels", *methods, f"best of {len(others)}"]
        parts.append(f"### {escape(encoder)}\n\n" + table(head, rows, stub=2))
    return parts


def behind(free: Sequence[Record]) -> str:
    """Every row in which some comparison is ahead of the first preset by more than ``CLOSE`` points, per frame."""
    ours, shown, rows, total, count = figures.leading_preset(free), detailed(free), [], 0, 0
    for (encoder, dataset, target, n), group in grouped(free, lambda r: (r.cell.encoder, *spot(r))).items():
        means = compare(group)
        others = rivals(means)
        if ours not in means:
            continue
        total += 1
        best = max(others, key=lambda method: means[method]["accuracy"], default="")
        gap = means[best]["accuracy"] - means[ours]["accuracy"] if best else 0.0
        count += gap > CLOSE
        if gap > CLOSE and encoder in shown:
            rows.append([*map(escape, (encoder, dataset, target)), best, str(n), f"{gap:.1f}"])
    text = f"of {total} rows a comparison is ahead of `{ours}` by more than {CLOSE} points per frame"
    if not count:
        return f"In none {text}."
    where = "" if len(rows) == count else f"; {len(rows)} of them with the encoders above"
    head = ["encoder", "set", "split", "comparison", "labels", "points ahead"]
    return f"In {count} {text}{where}" + (":\n\n" + table(head, rows, stub=4) if rows else ".")


def leak_table(records: Sequence[Record]) -> str:
    """Set × encoder: told / late half."""
    leaks = [r for r in records if r.cell.target == LEAK]
    names = encoders(leaks)
    rows = []
    for (dataset, seen), group in grouped(leaks, lambda r: (r.cell.dataset, r.cell.variant)).items():
        values = {r.cell.encoder: r.values for r in group}
        limits = [f"{100 * group[0].values[name]:.0f}" for name in ("chance", "bound")]
        told = [
            f"{100 * found['accuracy']:.0f} / {100 * found['late']:.0f}" if found else "–"
            for found in map(values.get, names)
        ]
        rows.append([escape(dataset), seen, *limits, *told])
    return table(["set", "seen", "chance", "blind, at most", *names], rows, stub=2)


def within_table(records: Sequence[Record]) -> list[str]:
    """Set and split × encoder, first preset, mean over labels: short, since the leak flatters it."""
    ours = figures.leading_preset(records)
    chosen = [r for r in answers(records) if not is_leak_free(r.cell.target)]
    names = encoders(r for r in chosen if r.cell.method == ours)
    if not names:
        return ["Not measured yet."]
    rows, count = [], 0
    for (dataset, target), group in grouped(chosen, lambda r: (r.cell.dataset, r.cell.target)).items():
        own = {e: [r for r in group if (r.cell.encoder, r.cell.method) == (e, ours)] for e in names}
        found = [mean_of(own[name]) for name in names]
        means = compare(r for r in group if r.cell.encoder == names[0])
        count = max(count, len(rivals(means)))
        leaks = [f"{value['leak']:.0f}" if "leak" in value else "–" for value in found]
        cells = [*entries(found), *entries([best_of(means)])]
        rows.append(
            [escape(dataset), escape(target), *(cell.strip("*") for cell in cells), " / ".join(leaks)]
        )
    head = ["set", "split", *names, f"best of {count}, {names[0]}", "leak"]
    return [
        f"Preset `{ours}`, per frame / per press, mean over the numbers of labels; then the best comparison with the "
        "readouts of the first; the last column is the leak of the set as each encoder sees it.\n\n"
        + table(head, rows, stub=2)
    ]


def batch_tables(records: Sequence[Record]) -> list[str]:
    """Batch × method, mean over leak-free splits and labels, for every encoder with other than balanced batches.

    The balanced row has the splits, labels and draws that other batches were measured with, so that rows compare.
    """

    def asked(r: Record) -> tuple[str, str, str, str, int]:
        return r.cell.encoder, r.cell.dataset, r.cell.target, r.cell.budget, r.cell.seed

    free = leak_free(records, None)
    other = {asked(r) for r in free if r.cell.variant != "balanced"}
    free = [r for r in free if asked(r) in other]
    if not free:
        return []
    numbers = sorted({labels(r) for r in free})
    parts = [
        "## Batches that are not balanced\n\nMean over leak-free splits, draws and "
        f"{' and '.join(map(str, numbers))} labels per class. {STREAM_TEXT}"
    ]
    for encoder in encoders(free):
        chosen = [r for r in free if r.cell.encoder == encoder]
        methods = columns(r for r in chosen if r.cell.variant not in ("balanced", ONE_AT_A_TIME))
        rows = []
        for batch in BATCHES:
            group = [r for r in chosen if r.cell.variant == batch]
            if group:
                means = compare(group)
                counts = {spot(r)[:2] for r in group}, {r.cell.seed for r in group}, rivals(means)
                found = entries([*(means.get(method) for method in methods), best_of(means)])
                rows.append([escape(batch), *(str(len(count)) for count in counts), *found])
        head = ["batch", "splits", "draws", "comparisons", *methods, "best of them"]
        parts.append(f"### {escape(encoder)}, by batch\n\n" + table(head, rows))
    return parts


def _legend(free: Sequence[Record]) -> str:
    return (
        f"Per frame / per press, mean of {len({r.cell.seed for r in free})} draws; best per frame bold. *labels* are "
        "labelled frames per class, of different presses as far as there are any. All methods see the same readouts "
        "and the same contacts. Shown are the strongest comparisons; *best of* is the best of all of them in each row."
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
