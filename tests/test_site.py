"""Pages of the manual: their Python runs, the table of settings is that of the code, public names are described."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import bideta
from bideta import Bideta, deploy, presets
from bideta.cli import build

DOCS = Path(__file__).parents[1] / "docs"
NEED_MORE = {"how-to/serve.md", "how-to/bring-your-data.md"}  # a running server; LeRobot
RUN = [
    page
    for folder in ("start", "how-to")
    for page in sorted(path.relative_to(DOCS).as_posix() for path in (DOCS / folder).glob("*.md"))
    if page not in NEED_MORE
]
SETTINGS = (DOCS / "reference/settings.md").read_text(encoding="utf-8")
COLUMNS = {"paper": presets.CLASSIFICATION, "`touch`": presets.TOUCH, "`robot`": presets.ROBOT}


def blocks(page: str) -> str:
    text = (DOCS / page).read_text(encoding="utf-8")
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))


def contacts() -> dict[str, Any]:
    """What the pages call by these names: readouts of labelled contacts and of queries, labels, presses, quantities."""
    rng = np.random.default_rng(0)
    names = np.repeat(["bolt", "coin", "key"], 20)
    h1, h2 = (rng.normal(size=(3, d)).repeat(20, axis=0) + rng.normal(size=(60, d)) / 2 for d in (8, 12))
    some = np.arange(60) % 2 == 0
    return {
        "h1": h1[some],
        "h2": h2[some],
        "labels": names[some],
        "presses": np.arange(30),
        "Y": np.column_stack([h1[some].sum(axis=1), h2[some].sum(axis=1)]),
        "q1": h1[~some],
        "q2": h2[~some],
        "new_labels": names[~some],
        "p": rng.integers(0, 255, (30, 24, 32, 3)).astype(np.uint8),
        "q": rng.integers(0, 255, (30, 24, 32, 3)).astype(np.uint8),
    }


@pytest.fixture(scope="module")
def contacts_on_disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("site")
    made = CliRunner().invoke(build(), ["sim", "contacts", str(home / "try"), "--sensor", "Hex"])
    assert made.exit_code == 0, made.output
    return home


@pytest.mark.parametrize("page", [page for page in RUN if blocks(page)])
def test_python_of_a_page_runs_as_printed(page, contacts_on_disk, monkeypatch, capsys) -> None:
    monkeypatch.chdir(contacts_on_disk)
    names = contacts()
    exec(compile(blocks(page), page, "exec"), names)
    assert len(names) > len(contacts())
    if page == "start/first-ten-minutes.md":
        assert float(capsys.readouterr().out) > 0.5


@pytest.mark.parametrize("page", sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")))
def test_python_of_every_page_can_be_parsed(page) -> None:
    assert compile(blocks(page), page, "exec") is not None


def test_the_table_of_settings_has_every_field_with_the_values_of_the_presets() -> None:
    title, _, *rows = [line.strip("|\n").split("|") for line in SETTINGS.splitlines() if line.startswith("|")]
    places = {name: [cell.strip() for cell in title].index(name) for name in COLUMNS}
    defaults = {field.name: field.default for field in dataclasses.fields(Bideta)}
    seen = set()
    for row in rows:
        cells = [cell.strip() for cell in row]
        names = re.findall(r"`(\w+)`", cells[0])
        seen.update(names)
        for column, preset in COLUMNS.items():
            said = cells[places[column]].replace(" (ours)", "").replace("`", "") or cells[places["paper"]]
            values = [part.strip() for part in said.replace(" (ours)", "").replace("`", "").split(",")]
            for name, value in zip(names, values, strict=True):
                assert str({**defaults, **preset}[name]) in (value.strip('"'), f"{value}.0"), (name, column)
    assert seen == set(defaults)


@pytest.mark.parametrize(
    "name",
    [
        *(f"bideta.{name}" for name in bideta.__all__ if callable(getattr(bideta, name))),
        *(f"deploy.{name}" for name in deploy.__all__),
    ],
)
def test_public_names_describe_what_they_take_or_hold(name) -> None:
    public = getattr(deploy if name.startswith("deploy.") else bideta, name.partition(".")[2])
    text = inspect.getdoc(public) or ""
    assert "Args:" in text or "Attributes:" in text
    for parameter in inspect.signature(public).parameters:
        assert re.search(rf"^ +(\w+, )*{parameter}(, \w+)*: ", text, re.MULTILINE), parameter
