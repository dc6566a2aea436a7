"""A folder of JPEGs: encoding while decoding, against the bare encoder and bare decoding on all cores, in one run."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.measuring.clock import in_turns
from benchmarks.measuring.peak import peak
from bideta.encoders import Encoder
from bideta.encoders.runners.threads import cores
from bideta.images.reading import read_image
from bideta.service.encoding import BATCH, encode_files, encode_pictures


def measure(encoder: Encoder, paths: Sequence[Path], repeats: int) -> dict[str, Any]:
    """Seconds of each, memory of the whole, and the ratio of the whole to the slower half."""
    few = [read_image(path) for path in paths[:BATCH]]

    def bare_encoder() -> None:
        for start in range(0, len(paths), BATCH):
            encode_pictures(encoder, few[: len(paths) - start])

    def bare_decoding() -> None:
        with ThreadPoolExecutor(cores()) as pool:
            for path in pool.map(lambda path: read_image(path).shape, paths):
                assert path

    encode_pictures(encoder, few)  # the first is slow
    memory = {}
    with peak() as used:
        seconds = in_turns({"both": (lambda: encode_files(encoder, paths), repeats)})
    memory[str(len(paths))] = used.added
    with peak() as used:
        encode_files(encoder, paths[: len(paths) // 4])
    memory[str(len(paths) // 4)] = used.added
    seconds |= in_turns({"encoder": (bare_encoder, repeats), "decoding": (bare_decoding, repeats)})
    slower = max(seconds["encoder"]["wall"], seconds["decoding"]["wall"])
    return {"seconds": seconds, "ratio": seconds["both"]["wall"] / slower, "peak_bytes": memory}
