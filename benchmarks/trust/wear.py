"""``python -m benchmarks.trust.wear [--cache DIR] [--quick]``: are worn gels found, and what brings answers back?

Simulated. Every sensor has ten labelled contacts of each of 16 objects. Healthy: 1,000 streams of 300 contacts, half of
them mixed, half object by object. Worn: 150 healthy contacts, then up to 300 of a gel with one kind of wear. Repaired:
new labels of the worn gel, started anew or with the earlier ones (``keep_earlier``). Writes results/wear.json and
docs/images/wear.png.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import machine, results
from benchmarks.trust.options import read_options
from benchmarks.trust.recordings import Recording, twin
from bideta.classifier import Classifier
from bideta.deploy import keep_earlier
from bideta.deploy.health.martingale import ChangeTest
from bideta.deploy.health.watch import FALSE_ALARMS, FIRST, HORIZON, RECENT, SCORES, contact_scores
from bideta.deploy.trust.calibration import calibrate, tempered
from bideta.presets import TOUCH
from bideta.sim import SENSORS, Wear
from bideta.sim.ageing import KINDS

TARGETS = ("Mini_3", "GelSightMarker")
STRENGTHS = (0.15, 0.3, 0.6, 1.0)
LABELLED, HEALTHY, STREAM, BEFORE, WORN_STREAMS = 10, 1000, 300, 150, 20
LABELS, SEEDS = (1, 2, 5), range(2)
LIMIT = HORIZON / FALSE_ALARMS


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every sensor, write the results after each kind of wear and print them."""
    options = read_options(arguments, "wear", __doc__, "one small sensor", real=False)
    content: dict[str, Any] = {"machine": machine.facts(), "tasks": {}}
    per_class, streams, kinds, strengths = (50, HEALTHY, KINDS, STRENGTHS)
    if options.quick:
        per_class, streams, kinds, strengths = 12, 4, KINDS[:1], STRENGTHS[-1:]
    for target in TARGETS[:1] if options.quick else TARGETS:
        new = twin(SENSORS[target], options.cache, per_class, 1)
        support = new.draw(4 if options.quick else LABELLED, 0)
        asked = new[~np.isin(new.presses, support.presses)]
        adapted = Classifier(**TOUCH).fit(support.readouts, support.labels, support.presses)
        temperature = calibrate(adapted).joint
        fresh = Scored.of(adapted, asked)
        alarms = [healthy_alarm(fresh, seed) for seed in range(streams)]
        content["tasks"][f"{target} | healthy"] = {
            "result": {
                "streams": streams,
                "contacts": STREAM,
                "alarms": int(np.sum(alarms)),
                "alarms_object_by_object": int(np.sum(alarms[1::2])),
                "accuracy": fresh.accuracy,
            }
        }
        for kind in kinds:
            for strength in strengths:
                aged = twin(
                    SENSORS[target],
                    options.cache,
                    24 if not options.quick else 8,
                    1,
                    3,
                    wear=Wear(**{kind: strength}),
                )
                worn = Scored.of(adapted, aged)
                found = [delay(fresh, worn, seed) for seed in range(2 if options.quick else WORN_STREAMS)]
                content["tasks"][f"{target} | {kind} | {strength:g}"] = {
                    "result": {
                        "accuracy": worn.accuracy,
                        "delays": found,
                        "estimated_loss": fresh.confidence(temperature, FIRST)
                        - worn.confidence(temperature, RECENT),
                        "repaired": {} if strength < 1 else repaired(adapted, aged, options.quick),
                    }
                }
                results.write(options.results, "wear", content, rows=True)
    table(content)
    if not options.quick:
        chart(content, results.ROOT / "docs" / "images" / "wear.png")


class Scored:
    """Contacts with their answers and what is watched of them."""

    def __init__(self, scores: NDArray[Any], P: NDArray[Any], labels: NDArray[Any]) -> None:
        self.scores, self.P, self.labels, self.answers = scores, P, labels, P.argmax(axis=1)
        self.accuracy = 100 * float((self.answers == labels).mean())

    @classmethod
    def of(cls, adapted: Classifier, contacts: Recording) -> Scored:
        """Answered in batches of the window's size."""
        rng = np.random.default_rng(29)
        P = np.empty((len(contacts.labels), len(adapted.classes_)))
        for rows in np.array_split(rng.permutation(len(P)), -(-len(P) // 128)):
            P[rows] = adapted.predict_proba(tuple(H[rows] for H in contacts.readouts))
        return cls(contact_scores(adapted.sensor(), contacts.readouts, P.argmax(axis=1)), P, contacts.labels)

    def confidence(self, temperature: float, most: int) -> float:
        """Mean calibrated probability of some answers, in points."""
        rows = np.random.default_rng(31).permutation(len(self.P))[:most]
        return 100 * float(tempered(self.P[rows], temperature).max(axis=1).mean())


def healthy_alarm(fresh: Scored, seed: int) -> bool:
    """Whether a healthy stream is ever called worn; every second stream comes object by object."""
    rng = np.random.default_rng((seed, 37))
    rows = rng.permutation(len(fresh.labels))[:STREAM]
    if seed % 2:
        order = rng.permutation(fresh.labels.max() + 1)
        rows = rows[np.argsort(order[fresh.labels[rows]], kind="stable")]
    return first_alarm(fresh.scores[rows], fresh.answers[rows], seed) is not None


def delay(fresh: Scored, worn: Scored, seed: int) -> int | None:
    """Worn contacts until the alarm, after healthy ones; None: no alarm."""
    rng = np.random.default_rng((seed, 41))
    before, after = (rng.permutation(len(one.labels)) for one in (fresh, worn))
    scores = np.concatenate([fresh.scores[before[:BEFORE]], worn.scores[after[:STREAM]]])
    answers = np.concatenate([fresh.answers[before[:BEFORE]], worn.answers[after[:STREAM]]])
    at = first_alarm(scores, answers, seed)
    return None if at is None else at + 1 - len(before[:BEFORE])


def first_alarm(scores: NDArray[Any], answers: NDArray[Any], seed: int) -> int | None:
    """Contact at which the stream is called worn."""
    tests = [ChangeTest(np.random.default_rng((seed, k))) for k in range(len(SCORES))]
    for number, (row, answer) in enumerate(zip(scores, answers, strict=True)):
        evidence = [test.see(float(value), int(answer)) for test, value in zip(tests, row, strict=True)]
        if np.mean(evidence) >= LIMIT:
            return number
    return None


def repaired(adapted: Classifier, aged: Recording, quick: bool) -> dict[str, list[dict[str, float]]]:
    """Labels per class → accuracy of draws, started anew and with the earlier labels."""
    told: dict[str, list[dict[str, float]]] = {}
    for n in LABELS[:1] if quick else LABELS:
        for seed in SEEDS[:1] if quick else SEEDS:
            pool, asked = aged.halves(seed)
            few = pool.draw(n, seed)
            new = Classifier(**TOUCH).fit(few.readouts, few.labels, few.presses)
            kept = keep_earlier(new, adapted)
            right = [
                100 * float((one.predict(asked.readouts) == asked.labels).mean())
                for one in (adapted, new, kept.adapted)
            ]
            told.setdefault(str(n), []).append(dict(zip(("old", "anew", "kept"), right, strict=True)))
    return told


def table(content: dict[str, Any]) -> None:
    """False alarms, delays and losses, and what labels bring back."""
    found = Table(
        "sensor",
        "wear",
        "strength",
        "right, %",
        "lost",
        "estimated",
        "found",
        "median delay",
        title="simulated",
    )
    back = Table(
        "sensor",
        "wear",
        "old",
        *(f"{n}: anew, kept" for n in LABELS),
        title="right after new labels per class, %, simulated",
    )
    console = Console(highlight=False, width=130)
    for name, record in content["tasks"].items():
        target, kind, *strength = name.split(" | ")
        result = record["result"]
        if kind == "healthy":
            fresh = result["accuracy"]
            console.print(
                f"{target}: {result['alarms']} of {result['streams']} healthy streams called worn; {fresh:.1f} % right"
            )
            continue
        delays = [one for one in result["delays"] if one is not None and one > 0]
        median = f"{np.median(delays):.0f}" if delays else "–"
        lost = fresh - result["accuracy"]
        found.add_row(
            target,
            kind,
            *strength,
            f"{result['accuracy']:.1f}",
            f"{lost:.1f}",
            f"{result['estimated_loss']:.1f}",
            f"{len(delays)} of {len(result['delays'])}",
            median,
        )
        if result["repaired"]:
            cells = result["repaired"]
            mean = {
                n: {key: np.mean([draw[key] for draw in draws]) for key in draws[0]}
                for n, draws in cells.items()
            }
            old = np.mean([of["old"] for of in mean.values()])
            back.add_row(
                target, kind, f"{old:.1f}", *(f"{of['anew']:.1f}, {of['kept']:.1f}" for of in mean.values())
            )
    console.print(found)
    console.print(back)


def chart(content: dict[str, Any], path: Path) -> None:
    """Delay until the alarm, and accuracy, against strength."""
    from matplotlib.figure import Figure

    figure = Figure((11, 6.4), layout="constrained")
    for row, target in enumerate(TARGETS):
        delays_axes, right_axes = (figure.add_subplot(2, 2, 2 * row + column) for column in (1, 2))
        for kind in KINDS:
            cells = {s: content["tasks"][f"{target} | {kind} | {s:g}"]["result"] for s in STRENGTHS}
            median = [
                np.median([STREAM if d is None else max(d, 1) for d in cell["delays"]])
                for cell in cells.values()
            ]
            delays_axes.plot(STRENGTHS, median, "o-", label=kind, markersize=3)
            right_axes.plot(
                STRENGTHS, [cell["accuracy"] for cell in cells.values()], "o-", label=kind, markersize=3
            )
        delays_axes.set_title(f"{target}, simulated: contacts until the alarm ({STREAM}: none)", fontsize=9)
        right_axes.set_title(f"{target}, simulated: right, %", fontsize=9)
        for axes in (delays_axes, right_axes):
            axes.set_xlabel("strength of wear", fontsize=8)
            axes.tick_params(labelsize=7)
        if not row:
            right_axes.legend(fontsize=7)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
