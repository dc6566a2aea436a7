from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.live.loop import BEGIN, END, measure, write_table


def test_the_live_benchmark_runs_and_writes_its_table_between_the_marks(tmp_path: Path) -> None:
    row = {"encoder": "twin-tvl", "rate": 60, **measure("twin-tvl", 60, 1.0)}
    assert row["captured"] > 10
    page = tmp_path / "live.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_table(page, [row])
    text = page.read_text()
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| twin-tvl | 60 |" in text
    page.write_text("no marks")
    with pytest.raises(ValueError, match="no marks"):
        write_table(page, [row])
