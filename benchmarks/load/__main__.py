"""``python -m benchmarks.load``."""

from __future__ import annotations

from benchmarks.load.rounds import main

if __name__ == "__main__":
    main()
