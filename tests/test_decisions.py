"""``docs/decisions.md`` holds every choice that the paper leaves open in one table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in (HOME / "docs/decisions.md").read_text(encoding="utf-8").split("\n## ")[1].splitlines()
    if line.startswith("|")
]


def test_every_choice_says_what_why_with_which_effect_and_where():
    title, _, *rows = ROWS
    assert title == ["choice", "ours", "why", "effect", "where"]
    choices = [row for row in rows if not row[0].startswith("**")]
    assert len(choices) > 40
    assert all(len(row) == 5 and all(row) for row in choices)
    assert len({row[0] for row in choices}) == len(choices)


@pytest.mark.parametrize(
    "words",
    [
        "56 trials", "20 frames", "previous frame", "bottleneck 128", "at least ten steps", "leave-one-out",
        "every target and seed", "fc_norm", "the 19th", "± 0.14", "not at unit length", "three of six cells",
        "assumed", "equal ones in the order of the classes",
    ],
)  # fmt: skip
def test_what_once_stood_elsewhere_is_in_the_index(words):
    assert any(words in " ".join(row) for row in ROWS)


def test_the_places_exist():
    package = HOME / "src/bideta"
    named = {name for row in ROWS for name in re.findall(r"`([\w/]+\.py)`", row[4])}
    assert len(named) > 20
    for name in named:
        assert (package / name).is_file() or (package / "protocol" / name).is_file(), name
