"""Counters in Prometheus' text format; a few dozen numbers do not need a dependency."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # s


class Metrics:
    """Requests by route and status, and their durations; written on the event loop only, so without a lock."""

    def __init__(self) -> None:
        self.requests: dict[tuple[str, int], int] = defaultdict(int)
        self.buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self.seconds: dict[str, float] = defaultdict(float)

    def note(self, route: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self.requests[route, status] += 1
        self.buckets[route][bisect_left(BUCKETS, seconds)] += 1
        self.seconds[route] += seconds

    def text(self, gauges: dict[str, tuple[str, float]]) -> str:
        """The exposition: counters, histograms, then ``gauges`` (name → help, value)."""
        lines = ["# HELP bideta_requests_total Requests answered.", "# TYPE bideta_requests_total counter"]
        for (route, status), count in sorted(self.requests.items()):
            lines.append(f'bideta_requests_total{{route="{route}",status="{status}"}} {count}')
        lines += [
            "# HELP bideta_request_seconds Time from the first byte in to the last byte out.",
            "# TYPE bideta_request_seconds histogram",
        ]
        for route, counts in sorted(self.buckets.items()):
            total = 0
            for bound, count in zip((*BUCKETS, "+Inf"), counts, strict=True):
                total += count
                lines.append(f'bideta_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}')
            lines.append(f'bideta_request_seconds_sum{{route="{route}"}} {self.seconds[route]:.6f}')
            lines.append(f'bideta_request_seconds_count{{route="{route}"}} {total}')
        for name, (help_text, value) in gauges.items():
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} gauge", f"{name} {value:g}"]
        return "\n".join(lines) + "\n"
