"""What was typed, as others would type it."""

from __future__ import annotations

import shlex
from itertools import pairwise

FOLDERS = (
    "--out",
    "--cache",
    "--root",
    "--page",
    "--sheets",
)  # options whose values are places on this machine


def shown_command(arguments: list[str]) -> str:
    """The command as others would type it: folders of this machine are left to them.

    >>> shown_command(["/usr/bin/bideta", "bench", "paper", "--quick", "--out", "/tmp/run", "--root=sitr=/data"])
    'bideta bench paper --quick --out DIR --root=DIR'
    """
    kept = ["bideta"]
    for before, argument in pairwise(arguments):
        option, equals, _ = argument.partition("=")
        if before in FOLDERS:
            kept.append("DIR")
        elif equals and option in FOLDERS:
            kept.append(f"{option}=DIR")
        else:
            kept.append(argument)
    return shlex.join(kept)
