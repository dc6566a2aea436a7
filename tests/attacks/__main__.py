"""``python -m tests.attacks [KIND …] --tries N --seed S --page FILE``: exits with 1 where anything failed."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from attacks import page
from attacks.kinds import kinds

SHOWN = 20  # failures that are printed


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", nargs="*", help="which attacks; all without one")
    parser.add_argument("--tries", type=int, default=2000, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", type=Path, help="page to write the counts into")
    arguments = parser.parse_args()
    known, failures = kinds(), 0
    for kind in arguments.kind or known:
        if kind not in known:
            parser.error(f"no attack {kind!r}; there are {', '.join(known)}")
        begun = time.monotonic()
        tally = known[kind](np.random.default_rng(arguments.seed), arguments.tries)
        print(
            f"{kind}: {tally.tried:,} tried, {tally.refused:,} refused, {tally.answered:,} answered, {tally.crashed} "
            f"crashed, {tally.over_memory} over memory, {tally.over_time} over time; "
            f"{time.monotonic() - begun:.0f} s",
            flush=True,
        )
        print("\n".join(f"  {line}" for line in tally.found[:SHOWN]), end="\n" if tally.found else "")
        failures += tally.failures
        if arguments.page is not None:
            page.write(arguments.page, [tally], arguments.seed)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
