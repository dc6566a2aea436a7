"""What the clock of the cost table sees."""

from __future__ import annotations

import pytest

from bideta.baselines import _inputs, _source_head
from bideta.protocol.experiment import Cell
from bideta.protocol.experiments import cost
from support.tiny_run import PLUGIN, tiny_plan


@pytest.mark.parametrize("method", ["frozen", "tip-adapter", "anytouch-match"])
def test_source_work_is_done_before_the_clock_starts(method, tmp_path, monkeypatch):
    if method == "anytouch-match":
        pytest.importorskip("torch")
    supply = tiny_plan(tmp_path, scale=0.05).supply(tmp_path / "cache")
    (encoder,) = supply.encoders
    running, seen = [], []

    def spy(function, name):
        def called(*arguments):
            if (running and name in ("head", "units")) or (name == "check" and "source" in arguments):
                seen.append((name, bool(running)))
            return function(*arguments)

        return called

    monkeypatch.setattr(_inputs, "check_readouts", spy(_inputs.check_readouts, "check"))
    monkeypatch.setattr(_source_head, "fit_source_head", spy(_source_head.fit_source_head, "head"))
    monkeypatch.setattr(_inputs, "standardize", spy(_inputs.standardize, "units"))
    fastest = cost.fastest

    def timed(work):
        running.append(1)
        try:
            return fastest(work)
        finally:
            running.pop()

    monkeypatch.setattr(cost, "fastest", timed)
    monkeypatch.setattr(cost, "method_settings", lambda *_: {"epochs": 2} if "any" in method else {})
    found = cost.answer(Cell("cost", PLUGIN, encoder, "Hex", method, budget="5-shot"), supply)
    assert found.values["adapt_seconds"] > 0
    assert found.values["labels"] == 5  # the page says how many of how many
    assert ("check", False) in seen  # before the clock
    assert not any(during for _, during in seen)
