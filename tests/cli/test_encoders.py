"""bideta encoders in a terminal of 80 columns."""

from __future__ import annotations

from types import ModuleType

import pytest
from typer.testing import CliRunner

from bideta.cli import build
from bideta.cli.encoders import weights
from bideta.encoders import EncoderInfo
from bideta.plugins import names


def test_names_are_whole_and_the_table_fits_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = CliRunner().invoke(build(), ["encoders"])
    assert result.exit_code == 0, result.output
    rows = [line for line in result.output.splitlines() if line.startswith(("┏", "┃", "│"))]
    assert max(map(len, rows)) <= 80
    first = {row.split()[1].partition(":")[0] for row in rows[2:]}
    assert first == set(names("encoder"))
    assert "…" not in result.output
    assert "CC BY-NC 4.0, not for commercial use" in result.output
    assert "bideta encoders --long" in result.output


def test_the_long_list_says_what_an_encoder_reads_and_gives():
    result = CliRunner().invoke(build(), ["encoders", "--long"])
    assert result.exit_code == 0, result.output
    block = result.output.split("\ntwin-tvl\n")[1].splitlines()[:3]
    assert block == ["  input       64×64×3", "  readouts    128 + 256", "  parameters  919,616"]


def test_a_plugin_that_tells_of_its_weights_by_a_function_is_still_heard():
    plugin = ModuleType("mine")
    plugin.INFO = EncoderInfo("mine", "Mine", 32, 3, (4, 4))
    assert weights(plugin) == ("part of the package", "yes")
    plugin.weights_at = lambda: ("somewhere", False)
    with pytest.warns(DeprecationWarning, match="mine.weights_at is now a fact"):
        assert weights(plugin) == ("somewhere", "no")
