"""Milliseconds that an encoder takes for a decoded picture on one core: ``python -m benchmarks.pictures.one_core NAME PICTURE…``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from time import perf_counter

ROUNDS = 5


def main() -> None:
    """Print the fastest of several rounds; the process keeps to one core from the start."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
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
