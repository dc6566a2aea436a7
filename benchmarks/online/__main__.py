"""``python -m benchmarks.online``."""

from __future__ import annotations

from benchmarks.online.stream import main

if __name__ == "__main__":
    main()
