"""``python -m benchmarks.twin``."""

from __future__ import annotations

from threadpoolctl import threadpool_limits

from benchmarks.twin.study import main

if __name__ == "__main__":
    with threadpool_limits(1):
        main()
