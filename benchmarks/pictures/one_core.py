"""Milliseconds that an encoder takes for a decoded picture, in a process that keeps to one core."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

ROUNDS = 9


def measure(encoder: str, paths: Sequence[Path]) -> float:
    """The fastest of several rounds over the pictures."""
    command = [sys.executable, "-m", "benchmarks.pictures.one_core", encoder, *map(str, paths)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Print the milliseconds."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before libraries count cores
    from bideta.images.reading import read_image
    from bideta.plugins import load_encoder
    from bideta.service.encoding import encode_pictures

    name, *paths = sys.argv[1:]
    encoder, pictures = load_encoder(name), [read_image(Path(path)) for path in paths]
    encode_pictures(encoder, pictures)  # the first is slow
    seconds = []
    for _ in range(ROUNDS):
        begun = perf_counter()
        encode_pictures(encoder, pictures)
        seconds.append(perf_counter() - begun)
    print(1000 * min(seconds) / len(pictures))


if __name__ == "__main__":
    main()
