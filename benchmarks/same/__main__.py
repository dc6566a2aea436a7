"""``python -m benchmarks.same record FILE``, ``compare OLD NEW``, ``walk``, ``speed OTHER_CHECKOUT``.

PYTHONPATH chooses the checkout whose answers are recorded, and which is walked through.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.same import compare, record, speed, walk


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; the exit code is 1 where answers differ."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.same", description=sys.modules[__package__].__doc__
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("record", help="write what the bideta on PYTHONPATH answers")
    verb.add_argument("file", type=Path, help=".npz to write")
    verb.add_argument("--only", help="record only entries of this part", choices=sorted(record.PARTS))
    verb = verbs.add_parser("compare", help="print where two records differ; exit code 1 where they do")
    verb.add_argument("old", type=Path)
    verb.add_argument("new", type=Path)
    verb.add_argument("--brief", action="store_true", help="only entries that are not equal to the bit")
    verbs.add_parser("walk", help="count the functions and files that fit and predict pass")
    verb = verbs.add_parser("speed", help="this checkout and another in turns, about five minutes")
    verb.add_argument("other", type=Path, help="folder of the other checkout")
    verb.add_argument("--only", default="", help="shapes whose name contains this")
    options = parser.parse_args(arguments)
    if options.verb == "record":
        record.record(options.file, options.only)
        return 0
    if options.verb == "walk":
        print(walk.walk())
        return 0
    if options.verb == "speed":
        return speed.speed(options.other, options.only)
    return compare.compare(options.old, options.new, brief=options.brief)


if __name__ == "__main__":
    sys.exit(main())
