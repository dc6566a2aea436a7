"""kill -9 at random instants: the records are those of an undisturbed run. ``make faults`` does it a hundred times."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnx")
SCRIPT = Path(__file__).with_name("kill.py")
KILLS, SEED = 3, 11  # two while records are written, one by the clock


@pytest.mark.timeout(900)  # starts of a process that loads scikit-learn, twice each
@pytest.mark.xdist_group("faults")
def test_kills_at_random_instants_leave_the_same_records(tmp_path):
    spec = importlib.util.spec_from_file_location("kill", SCRIPT)
    kill = importlib.util.module_from_spec(spec)
    sys.modules["kill"] = kill  # its dataclasses and annotations look themselves up
    spec.loader.exec_module(kill)
    assert kill.trial(tmp_path, KILLS, SEED) == []
