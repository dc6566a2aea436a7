"""docs/evidence/quantities.md: quantities on real sensors, then on twins; every draw; intervals, cost, slip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from bideta.images.files import write_atomic
from bideta.protocol.quantity_bench.cells import COST, QUANTITIES, SLIP
from bideta.protocol.quantity_bench.rivals import OURS, RIVALS
from bideta.protocol.quantity_bench.run import COVERAGES
from bideta.protocol.quantity_bench.sets import TWIN
from bideta.protocol.quantity_bench.slip import INPUTS
from bideta.protocol.records import Record
from bideta.quantities.targets import parse_column
from bideta.report import quantities_texts as texts
from bideta.report.figures import Figure
from bideta.report.figures import quantities as figures
from bideta.report.formats.markdown import escape, table

ANSWER = 20  # labels of the page's first lines
LISTED = 3  # sensors whose quantities are shown one by one; more are averaged
DRAWN = ("ridge", "bayesian-ridge")  # rivals beside which every draw is shown


def write(records: Sequence[Record], page: Path) -> None:
    """The page and its charts in ``images/quantities`` beside it."""
    good = [record for record in records if record.status == "ok"]
    measured = [record for record in good if record.cell.experiment == QUANTITIES]
    if not measured:
        raise ValueError("no record of bench quantities is good; run bideta bench quantities first")
    folder = page.parent / "images" / "quantities"
    folder.mkdir(parents=True, exist_ok=True)
    real = [record for record in measured if record.cell.dataset != TWIN]
    twin = [record for record in measured if record.cell.dataset == TWIN]
    parts = ["# Quantities: depth, tilt, position, force", *answer(real), texts.HEAD]
    if real:
        parts += ["## On real sensors", texts.RIVALS, *part_of_page(real, folder, "real", page)]
    parts += [texts.METHOD, texts.NOT_HELPING]
    if twin:
        parts += ["## On simulated sensors", _twin_text(twin), *part_of_page(twin, folder, "simulated", page)]
    parts += slip_part([record for record in good if record.cell.experiment == SLIP])
    parts += cost_part([record for record in good if record.cell.experiment == COST])
    parts += [texts.SOURCES, texts.COMMANDS, _provenance(good)]
    write_atomic(page, ("\n\n".join(parts) + "\n").encode())


def answer(real: Sequence[Record]) -> list[str]:
    """The page in two lines: ours and the best rival with so many labels, on real sensors."""
    of = [record for record in complete(real) if record.cell.budget == str(ANSWER)]
    errors = {
        m: 100 * float(np.mean([r.values["normalised"] for r in of if _is(r, m, str(ANSWER))]))
        for m in _methods(of)
    }
    if OURS not in errors or len(errors) == 1:
        return []
    best = min(errors.keys() - {OURS}, key=errors.__getitem__)
    return [
        f"**With {ANSWER} labelled contacts the error on real sensors is {errors[OURS]:.0f} % of that of a constant.**"
        f"\nThe best of {len(errors) - 1} regressors of scikit-learn ({best}) has {errors[best]:.0f} %."
    ]


def part_of_page(records: Sequence[Record], folder: Path, kind: str, page: Path) -> list[str]:
    """Error against labels, per quantity, intervals, and every draw."""
    said = "Simulated. " if kind == "simulated" else ""
    parts = [*error_tables(records), *_shown(figures.errors_chart(records, folder, kind), page)]
    parts += [f"### Each quantity in its unit, {kind}\n\n{said}Mean absolute error.", target_table(records)]
    chart = figures.scatter_chart(records, folder, kind)
    parts += _shown(chart, page)
    parts += [f"### Intervals, {kind}\n\n{said}{texts.INTERVALS}", interval_table(records)]
    parts += [
        f"### Every draw, {kind}\n\n{said}Normalised error of each draw; the same contacts for all methods."
    ]
    return [*parts, draw_table(records)]


def error_tables(records: Sequence[Record]) -> list[str]:
    """The methods that were asked everywhere; then every method, where all of them were asked."""
    everywhere = set.intersection(*(set(methods) for methods in _asked(records).values()))
    fair = [r for r in records if r.cell.method in everywhere]
    rest = complete(records)
    wider = bool(rest) and {r.cell.method for r in rest} != everywhere
    return [*([error_table(fair)] if everywhere else []), *([error_table(rest)] if wider else [])]


def error_table(fair: Sequence[Record]) -> str:
    """Methods × labels, mean over sensors and draws; every method was asked about the same."""
    labels, methods = _labels(fair), _methods(fair)
    means = {
        (method, n): float(np.mean([r.values["normalised"] for r in fair if _is(r, method, n)]))
        for method in methods
        for n in labels
    }
    best = {n: min(round(means[method, n], 3) for method in methods) for n in labels}
    rows = [
        [
            escape(method),
            *(_bold(f"{means[method, n]:.3f}", round(means[method, n], 3) == best[n]) for n in labels),
        ]
        for method in methods
    ]
    rows += [
        [f"ours beside {name}", *(f"{100 * (means[OURS, n] / means[name, n] - 1):+.1f} %" for n in labels)]
        for name in ("ridge",)
        if name in methods and OURS in methods
    ]
    if OURS in methods and len(methods) > 1:
        others = {n: min(means[method, n] for method in methods if method != OURS) for n in labels}
        rows.append(
            [
                "ours beside the best rival",
                *(f"{100 * (means[OURS, n] / others[n] - 1):+.1f} %" for n in labels),
            ]
        )
    sensors = sorted({r.cell.target for r in fair})
    draws = len({r.cell.seed for r in fair})
    head = table(["labels", *labels], rows)
    return (
        f"Mean over {len(sensors)} sensors ({', '.join(map(escape, sensors))}) and {draws} draws:\n\n{head}"
    )


def complete(records: Sequence[Record]) -> list[Record]:
    """Records of the sensors and numbers of labels that every method was asked about."""
    asked, every = _asked(records), {r.cell.method for r in records}
    return [r for r in records if asked[r.cell.target, r.cell.budget] == every]


def target_table(records: Sequence[Record]) -> str:
    """Sensor and quantity × labels, ours and ridge; many sensors are averaged."""
    rows = []
    labels = _labels(records)
    for name, of in _groups(records).items():
        for column in of[0].arrays["targets"]:
            target = parse_column(column)
            for method in (OURS, "ridge"):
                asked = [r for r in of if r.cell.method == method]
                cells = _means(asked, f"{column} mae", labels, "{:.3g}")
                rows.append([name, f"{target.name} ({target.unit})", method, *cells])
    return table(["sensor", "quantity", "method", *labels], rows, stub=3)


def interval_table(records: Sequence[Record]) -> str:
    """Sensor × labels: coverage of 80 and 90 % intervals over all quantities; widths, of many sensors averaged."""
    ours = [r for r in records if r.cell.method == OURS]
    rows = []
    labels = _labels(records)
    for sensor in _sensors(ours):
        of = [r for r in ours if r.cell.target == sensor]
        for coverage in COVERAGES:
            cells = _means(of, f"covered {coverage:g}", labels, "{:.0%}")
            rows.append([escape(sensor), f"held by {coverage:.0%}", *cells])
    for name, of in _groups(ours).items():
        for column in of[0].arrays["targets"]:
            target = parse_column(column)
            cells = _means(of, f"{column} width 0.9", labels, "{:.3g}")
            rows.append([name, f"width of 90%, {target.name} ({target.unit})", *cells])
        rows.append([name, "look foreign", *_means(of, "foreign", labels, "{:.0%}")])
    return table(["sensor", "", *labels], rows, stub=2)


def _groups(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Records by sensor; as one group where there are too many sensors to list."""
    sensors = _sensors(records)
    if len(sensors) > LISTED:
        return {f"mean of {len(sensors)}": list(records)}
    return {escape(sensor): [r for r in records if r.cell.target == sensor] for sensor in sensors}


def _means(records: Sequence[Record], value: str, labels: Sequence[str], form: str) -> list[str]:
    """The mean of a value for each number of labels, as text."""
    found = [[r.values[value] for r in records if r.cell.budget == n] for n in labels]
    return [form.format(np.mean(values)) if values else "–" for values in found]


def draw_table(records: Sequence[Record]) -> str:
    """Sensor and labels × draws: ours / ridge / Bayesian ridge."""
    methods = [name for name in (OURS, *DRAWN) if name in _methods(records)]
    seeds = sorted({r.cell.seed for r in records})
    found = {
        (r.cell.target, r.cell.budget, r.cell.method, r.cell.seed): r.values["normalised"] for r in records
    }
    rows = []
    for sensor in _sensors(records):
        for n in _labels(records):
            cells = [
                " / ".join(
                    f"{found[key]:.3f}" if (key := (sensor, n, method, seed)) in found else "–"
                    for method in methods
                )
                for seed in seeds
            ]
            rows.append([escape(sensor), n, *cells])
    return f"{' / '.join(methods)}:\n\n" + table(
        ["sensor", "labels", *(f"draw {s + 1}" for s in seeds)], rows
    )


def slip_part(records: Sequence[Record]) -> list[str]:
    """Two frames against one: accuracy by labels."""
    if not records:
        return []
    labels = _labels(records)
    rows, best = [], dict.fromkeys(INPUTS, 0.0)
    for what in INPUTS:
        for method in sorted({r.cell.method for r in records}):
            of = [r for r in records if (r.cell.variant, r.cell.method) == (what, method)]
            means = [float(np.mean([r.values["accuracy"] for r in of if r.cell.budget == n])) for n in labels]
            rows.append([what, method, *(f"{100 * mean:.1f}" for mean in means)])
            best[what] = max(best[what], *means)
    found = ", ".join(f"{what} {100 * most:.0f} %" for what, most in best.items())
    sensors = ", ".join(sorted({r.cell.target for r in records}))
    draws = len({r.cell.seed for r in records})
    text = (
        "## Slip, simulated\n\nSlip or no slip from frame t and the frame two before it, encoder `twin-sparsh`, which "
        "stacks two frames. The object slips where it moved more than 0.1 mm over the gel. Accuracy in per cent, mean "
        f"of both classes, by labelled pairs of each class; chance is 50. {draws} draws, simulated {sensors}; one pair "
        "of each press, pool and queries of different presses. *Change of readouts* is how far the readouts of both "
        f"frames differ. The best of all methods and labels: {found}."
    )
    return [text, table(["input", "method", *labels], rows, stub=2)]


def cost_part(records: Sequence[Record]) -> list[str]:
    """Times by size."""
    if not records:
        return []

    def order(record: Record) -> list[int]:
        return [int(part.split()[0]) for part in record.cell.variant.split(", ")]

    rows = [
        [
            *map(str, order(r)),
            f"{r.values['fit']:.2f}",
            f"{r.values['batch']:.3f}",
            f"{r.values['both']:.2f}",
            f"{1000 * r.values['one']:.1f}",
        ]
        for r in sorted(records, key=order)
    ]
    head = ["labels", "queries", "readouts", "adapt (s)", "batch (s)", "both (s)", "one contact (ms)"]
    text = "## Cost\n\nSeconds of one core. Readouts of 512 random features, three quantities; fastest of three runs."
    return [text, table(head, rows, stub=0)]


def _twin_text(records: Sequence[Record]) -> str:
    return (
        "Simulated. Three printed stamps pressed at random places, depths and tilts; depth, tilt, position and force "
        "are known. The force is that of an elastic foundation, F = E/h ∫ u dA (`bideta.sim.truth`): simple, and said "
        f"so. {len(_sensors(records))} sensors. " + texts.RIVALS
    )


def _asked(records: Iterable[Record]) -> dict[tuple[str, str], set[str]]:
    """Methods that were asked about each sensor and number of labels, for every draw that any method was asked."""
    seeds: dict[tuple[str, str], dict[str, set[int]]] = {}
    for r in records:
        seeds.setdefault((r.cell.target, r.cell.budget), {}).setdefault(r.cell.method, set()).add(r.cell.seed)
    return {
        place: {method for method, of in methods.items() if of == set.union(*methods.values())}
        for place, methods in seeds.items()
    }


def _is(record: Record, method: str, n: str) -> bool:
    return record.cell.method == method and record.cell.budget == n


def _labels(records: Iterable[Record]) -> list[str]:
    return sorted({r.cell.budget for r in records}, key=int)


def _methods(records: Iterable[Record]) -> list[str]:
    there = {r.cell.method for r in records}
    return [name for name in (OURS, *RIVALS) if name in there]


def _sensors(records: Iterable[Record]) -> list[str]:
    return sorted({r.cell.target for r in records})


def _bold(text: str, best: bool) -> str:
    return f"**{text}**" if best else text


def _shown(chart: Figure | None, page: Path) -> list[str]:
    if chart is None:
        return []
    return [f"![{chart.alt}]({chart.path.relative_to(page.parent).as_posix()})\n\n{chart.caption}"]


def _provenance(records: Sequence[Record]) -> str:
    commits = ", ".join(sorted({record.commit for record in records if record.commit})) or "unknown"
    versions = records[-1].versions
    names = ("bideta", "python", "numpy", "scipy", "scikit-learn")
    said = ", ".join(f"{name} {versions[name]}" for name in names if name in versions)
    return f"{len(records)} records; commit {commits}; {said}."
