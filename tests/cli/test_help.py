"""The help of the commands, as a terminal of 80 columns shows it."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from bideta.cli import build


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("suggest", "the pool; with it, to cover what the sensor doubts. Label some, adapt, and ask"),
        ("bench", "code is 1; the next run tries them again."),
    ],
)
def test_paragraphs_flow(monkeypatch, command, line):
    monkeypatch.setenv("COLUMNS", "80")
    result = CliRunner().invoke(build(), [command, "--help"])
    assert line in [shown.strip() for shown in result.output.splitlines()]
