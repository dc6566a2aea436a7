"""docs/evidence/trust-rivals.md from the results: real and simulated apart, the best of a column in bold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.trust.rivals.measure import LABELS, ROUNDS
from benchmarks.trust.rivals.words import CALIBRATION, HEAD, LABEL_SETS, NOVELTY, TO_LABEL
from bideta.images.files import write_atomic

Answers = dict[str, dict[str, Any]]  # "question | real | set | labels" → numbers
Read = Callable[[dict[str, Any]], dict[str, dict[str, float]]]
KINDS = {"real": "Real recordings", "simulated": "The twin (simulated)"}


def write(docs: Path, answers: Answers) -> None:
    """Write the page below ``docs``."""
    parts = [HEAD.format(sets=_sets(answers), draws=_draws(answers))]
    for text, tables in (
        (NOVELTY, _novelty),
        (TO_LABEL, _to_label),
        (LABEL_SETS, _label_sets),
        (CALIBRATION, _calibration),
    ):
        parts.append(text.rstrip() + "\n")
        for kind, title in KINDS.items():
            parts += [f"### {title}\n", *(tables(answers, kind) or ["Not measured.\n"])]
    place = docs / "evidence" / "trust-rivals.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(place, "\n".join(parts).encode())


def _novelty(answers: Answers, kind: str) -> list[str]:
    columns = [
        (f"AUROC, {n}", _means(answers, "novelty", kind, n, lambda r: r, "auroc"), 1) for n in LABELS
    ] + [(f"found at 5 %, {n}", _means(answers, "novelty", kind, n, lambda r: r, "found"), 1) for n in LABELS]
    return _table("score", columns)


def _to_label(answers: Answers, kind: str) -> list[str]:
    tables = []
    for prior, title in (
        ("touch", "The preset `touch`"),
        ("support", 'The same sensors with `prior="support"`'),
    ):
        columns = []
        for number in ROUNDS:
            means = _means(answers, "labels", kind, 0, lambda r: r, f"{prior} {number}")
            if means:
                columns.append((f"{number} ({_count(answers, kind, f'{prior} {number}')})", means, 1))
        if columns:
            tables += [f"{title}: right by press, %; labels per class on average (sets that have as many).\n"]
            tables += _table("strategy", columns)
    return tables


def _label_sets(answers: Answers, kind: str) -> list[str]:
    return _table(
        "sets of 90 %",
        _promised(answers, kind, "sets", {"held": "held", "least": "least", "size": "share"}, 0),
    )


def _calibration(answers: Answers, kind: str) -> list[str]:
    measures = {"error": "error", "Brier": "brier", "AURC": "aurc"}
    return _table("sureness", _promised(answers, kind, "calibration", measures, -1))


def _promised(
    answers: Answers, kind: str, part: str, measures: dict[str, str], sign: int
) -> list[tuple[str, dict[str, float], int]]:
    return [
        (f"{word}, {n}", _means(answers, "promises", kind, n, lambda r: r[part], key), sign)
        for word, key in measures.items()
        for n in LABELS
    ]


def _means(answers: Answers, question: str, kind: str, n: int, read: Read, key: str) -> dict[str, float]:
    """Rival → mean over the sets in %, of those sets that have the number for every rival that has it anywhere."""
    found: dict[str, list[float]] = {}
    for name, result in answers.items():
        asked, which, _, labels = name.split(" | ")
        if (asked, which, labels) == (question, kind, str(n)):
            for rival, numbers in read(result).items():
                if isinstance(numbers, dict) and key in numbers:
                    found.setdefault(rival, []).append(numbers[key])
    return {rival: 100 * float(np.mean(values)) for rival, values in found.items()}


def _count(answers: Answers, kind: str, key: str) -> int:
    return sum(
        name.startswith(f"labels | {kind} |") and key in result["random"] for name, result in answers.items()
    )


def _table(first: str, columns: Sequence[tuple[str, dict[str, float], int]]) -> list[str]:
    """Rows of Markdown; the third of a column: 1, more is better; −1, less; 0, neither is marked."""
    rivals = list(dict.fromkeys(rival for _, means, _ in columns for rival in means))
    if not rivals:
        return []
    lines = [f"| {first} | " + " | ".join(name for name, _, _ in columns) + " |"]
    lines.append("|---|" + "--:|" * len(columns))
    best = [
        {1: max, -1: min}[sign](round(value, 1) for value in means.values()) if sign and means else None
        for _, means, sign in columns
    ]
    for rival in rivals:
        cells = []
        for (_, means, _), top in zip(columns, best, strict=True):
            if rival not in means:
                cells.append("")
                continue
            number = f"{means[rival]:.1f}"
            cells.append(f"**{number}**" if round(means[rival], 1) == top else number)
        lines.append(f"| {rival} | " + " | ".join(cells) + " |")
    return ["\n".join(lines) + "\n"]


def _sets(answers: Answers) -> str:
    named: dict[str, list[str]] = {}
    for name in answers:
        _, kind, bed, _ = name.split(" | ")
        if bed not in named.setdefault(kind, []):
            named[kind].append(bed)
    return "; ".join(f"{kind}: {', '.join(f'*{bed}*' for bed in beds)}" for kind, beds in named.items())


def _draws(answers: Answers) -> str:
    """ "3" or "1 or 3"."""
    return " or ".join(map(str, sorted({result["draws"] for result in answers.values()})))
