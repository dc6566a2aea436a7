"""``python -m benchmarks.live``."""

from __future__ import annotations

from threadpoolctl import threadpool_limits

from benchmarks.live.loop import main

if __name__ == "__main__":
    with threadpool_limits(1):
        main()
