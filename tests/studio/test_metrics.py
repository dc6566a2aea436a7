from __future__ import annotations

from bideta.studio.metrics import BUCKETS, Metrics


def test_buckets_are_cumulative_and_end_at_the_count():
    metrics = Metrics()
    for seconds in (0.001, 0.005, 0.3, 99.0):
        metrics.note("/v1/adapt", 200, seconds)
    text = metrics.text({"bideta_sessions": ("Sessions.", 3)})
    found = [int(line.rpartition(" ")[2]) for line in text.splitlines() if "_bucket" in line]
    assert found == sorted(found)
    assert len(found) == len(BUCKETS) + 1
    assert found[0] == 2
    assert found[-1] == 4
    assert 'bideta_request_seconds_sum{route="/v1/adapt"} 99.306000' in text
    assert text.endswith("bideta_sessions 3\n")
