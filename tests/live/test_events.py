from __future__ import annotations

import json

from bideta.live.events import Event


def test_a_line_has_short_numbers_and_no_truth_that_nobody_knows():
    event = Event(
        1.0, 3, True, "bolt", 0.9999999999999992, [("bolt", 0.9999999999999992)], latency_ms=6.71234567
    )
    line = json.loads(event.to_json())
    assert line["probability"] == 1.0
    assert line["top"] == [["bolt", 1.0]]
    assert line["latency_ms"] == 6.7123
    assert "truth" not in line
