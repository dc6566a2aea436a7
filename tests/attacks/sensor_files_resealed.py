"""Sensor files that were changed on purpose and sealed again: their checksum is right, their content is hostile."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

from attacks import sensor_files
from attacks.tally import Tally
from attacks.worker import judged
from bideta import artifact

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 40, 10**6, 10**9, 2**31, 2**63, 10**30, 0.0, -0.0, 0.5, 1.0, 1e-300, 1e300,
    1e308, -1e308, float("nan"), float("inf"), "", "auto", "support", "mixed", "relaxed", "exact", "approximate",
    "object", "<U500000000", "<U3", "float64", "datetime64[ns]", "V100000", "x" * 10_000, "\x00", [], [0.5, 0.5],
    [1e308] * 4, [[1]], {}, {"tuple": [1, [2]]}, {"tuple": None}, ["a"] * 4, list(range(4)), [None] * 4,
)  # fmt: skip
NUMBERS = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e30, 1e-300, 0.0, -1.0)
DTYPES = ("f2", "f4", "f8", "i1", "i4", "i8", "u1", "u8", "?")
DEPTH = 100_000
QUIET = {"over": "ignore", "invalid": "ignore", "divide": "ignore", "under": "ignore"}


def sealed(header: Any, arrays: dict[str, np.ndarray], text: str | None = None) -> bytes:
    """The file with a checksum that fits; ``text`` in the place of the header's JSON leaves it unsealed."""
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        digest.update(arrays[name].tobytes())
    envelope = {"format": artifact.FORMAT_VERSION, "header": header, "sha256": digest.hexdigest()}
    note = text if text is not None else json.dumps(envelope, sort_keys=True)
    return safetensors.numpy.save(arrays, metadata={"bideta": note})


def opened(content: bytes) -> tuple[Any, dict[str, np.ndarray]]:
    """Header and arrays of an honest file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.bideta")
        path.write_bytes(content)
        return artifact.read(path)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Ways to every value inside JSON."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from places(inner, (*path, key))


def changed_header(header: Any, rng: np.random.Generator) -> None:
    """One value replaced, removed, or one that is not known added."""
    ways = list(places(header))
    *above, last = ways[int(rng.integers(len(ways)))]
    holder = header
    for key in above:
        holder = holder[key]
    kind = rng.random()
    if kind < 0.1:
        del holder[last]
    elif kind < 0.15 and isinstance(holder, dict):
        holder["unknown"] = deepcopy(VALUES[int(rng.integers(len(VALUES)))])
    else:
        holder[last] = deepcopy(VALUES[int(rng.integers(len(VALUES)))])


def changed_array(arrays: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    """Numbers, dtype, shape or presence of one array changed."""
    name = sorted(arrays)[int(rng.integers(len(arrays)))]
    array, kind = arrays[name].copy(), int(rng.integers(8))
    with np.errstate(**QUIET):
        if kind <= 2 and array.size:
            number = NUMBERS[int(rng.integers(len(NUMBERS)))]
            whole = array.dtype.kind != "f"
            value = rng.choice([-1, 4, 2**40]) if whole else np.float64(number)
            array.flat[int(rng.integers(array.size))] = value.astype(
                array.dtype
            )  # of pixels, what is left of it
        elif kind == 3:
            array = array.astype(DTYPES[int(rng.integers(len(DTYPES)))])
        elif kind == 4:
            array = array[..., : array.shape[-1] // 2] if rng.random() < 0.5 else array[:0]
        elif kind == 5:
            array = array.T if array.ndim > 1 and rng.random() < 0.5 else array[None]
        elif kind == 6:
            array = (
                array * NUMBERS[int(rng.integers(3, len(NUMBERS)))] if array.dtype.kind == "f" else array * 7
            )
    arrays[name] = array
    if kind == 7:
        del arrays[name]
        if rng.random() < 0.5:
            arrays[f"{name}x"] = array


def deep(rng: np.random.Generator) -> str:
    """JSON that nests deeper than a reader that calls itself can go."""
    start, end = [("[", "]"), ('{"a":', "}"), ('{"tuple":[', "]}")][int(rng.integers(3))]
    inner = start * DEPTH + "1" + end * DEPTH
    return f'{{"format": {artifact.FORMAT_VERSION}, "sha256": "", "header": {inner}}}'


def hostile(files: Sequence[bytes], rng: np.random.Generator, tries: int) -> Iterator[bytes]:
    """The files in turn, each with one or two changes, sealed."""
    for number in range(tries):
        header, arrays = opened(files[number % len(files)])
        if rng.random() < 0.01:
            yield sealed(header, arrays, deep(rng))
            continue
        for _ in range(int(rng.integers(1, 3))):
            if rng.random() < 0.5:
                changed_header(header, rng)
            elif arrays:
                changed_array(arrays, rng)
        yield sealed(header, arrays)


def cases(rng: np.random.Generator, tries: int) -> Iterator[bytes]:
    """Hostile files."""
    return hostile([content for content, _ in sensor_files.originals()], rng, tries)


def answer(content: bytes) -> None:
    """Load and ask; every row of an answer is a distribution."""
    with np.errstate(**QUIET):
        said = sensor_files.asked(content)
    proba, (value, lower, upper) = said.proba, said.reliability
    assert np.isfinite(proba).all(), "an answer holds NaN or infinity"
    assert (proba >= 0).all(), "a negative probability"
    assert np.abs(proba.sum(axis=1) - 1).max() < 1e-6, "a row does not sum to one"
    known = np.isfinite(value)
    assert (np.isfinite(lower) == known).all(), "a reliability without its bound"
    value, lower, upper = value[known], lower[known], upper[known]
    assert ((lower >= 0) & (lower <= value) & (value <= upper) & (upper <= 1)).all(), (
        "reliability out of order"
    )


def warm_up() -> None:
    """Load what the first answer loads."""
    sensor_files.warm_up()


def attack(rng: np.random.Generator, tries: int) -> Tally:
    """Changes on purpose; the checks of what a file holds find them."""
    return judged("sensor_files_resealed", cases(rng, tries), answer, sensor_files.REFUSALS)
