"""One checkout's side of the turns: prepares a shape, then times calls when it is told to.

Lines on stdin: ``prepare NAME`` or ``time COUNT``; one line of JSON answers each.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from time import process_time

import bideta
from benchmarks.same.shapes import SHAPES, Call

# Calls before the first turn. Their number is fixed: both sides of a stream must stand at the same contact.
WARM_UP = 5


def main() -> None:
    """Answer until stdin ends."""
    warnings.simplefilter("ignore", DeprecationWarning)
    _say(str(Path(bideta.__file__).parents[1]))
    call: Call | None = None
    for line in sys.stdin:
        verb, _, argument = line.strip().partition(" ")
        if verb == "prepare":
            call = SHAPES[argument]()
            _say(min(_seconds(call) for _ in range(WARM_UP)))
        else:
            assert call is not None
            _say(min(_seconds(call) for _ in range(int(argument))))


def _seconds(call: Call) -> float:
    begun = process_time()
    call()
    return process_time() - begun


def _say(answer: str | float) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
