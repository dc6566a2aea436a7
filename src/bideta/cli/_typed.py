"""What was typed, as others would type it."""

from __future__ import annotations

import shlex
from itertools import pairwise

PLACES = dict.fromkeys(("--out", "--cache", "--root", "--page", "--sheets"), "DIR") | {
    "--ray-address": "ADDRESS"
}  # options whose values are places of this machine


def shown_command(arguments: list[str]) -> str:
    """The command as others would type it: places of this machine are left to them.

    >>> shown_command(["/usr/bin/bideta", "bench", "paper", "--quick", "--out", "/tmp/run", "--root=sitr=/data"])
    'bideta bench paper --quick --out DIR --root=DIR'
    """
    kept = ["bideta"]
    for before, argument in pairwise(arguments):
        option, equals, _ = argument.partition("=")
        if before in PLACES:
            kept.append(PLACES[before])
        elif equals and option in PLACES:
            kept.append(f"{option}={PLACES[option]}")
        else:
            kept.append(argument)
    return shlex.join(kept)
