"""Files that ``torch.save`` wrote before version 1.6 (and the zip), read into numpy without torch; nothing is executed.

Such a file is five pickles in a row (magic number, version, facts of the machine, content, keys of the storages),
then every storage as its length and its raw numbers. The pickles may name only what builds dictionaries and tensors.
"""

from __future__ import annotations

import math
import mmap
import pickle
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from bideta.encoders.checkpoints.inert import Inert, whole_numbers

Arrays = dict[str, NDArray[Any]]

MAGIC = 0x1950A86A20F9469CFC6C  # torch.serialization.MAGIC_NUMBER
VERSION = 1001  # torch.serialization.PROTOCOL_VERSION
DTYPES = {
    "FloatStorage": np.dtype("<f4"),
    "HalfStorage": np.dtype("<f2"),
    "DoubleStorage": np.dtype("<f8"),
    "LongStorage": np.dtype("<i8"),
}
WRAPPERS = ("model", "state_dict")  # where training scripts put the network
# What a damaged or hostile file makes a reader raise.
REFUSALS = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    LookupError,
    OverflowError,
    TypeError,
    ValueError,
    struct.error,
)


@dataclass(frozen=True)
class _Storage:
    """Numbers that follow later in the file."""

    key: str
    dtype: np.dtype[Any]
    count: int


@dataclass(frozen=True)
class _Tensor:
    """A window on a storage."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in numbers, not bytes

    @property
    def count(self) -> int:
        """How many numbers it shows."""
        return math.prod(self.shape)


def read_tensors(path: Path) -> Arrays:
    """The named tensors of a saved ``state_dict``, as arrays."""
    try:
        # Mapped: reading stops at the end of the file, whatever length a pickle asks for.
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as stream:
            return _read(stream)
    except REFUSALS as error:
        raise ValueError(
            f"{path.name} cannot be read as a torch file ({str(error)[:300]}); it may be damaged or incomplete: "
            "copy or install it again"
        ) from error


def _read(stream: mmap.mmap) -> Arrays:
    magic, version, machine, content, keys = (_Unpickler(stream).load() for _ in range(5))
    if (magic, version) != (MAGIC, VERSION):
        raise pickle.UnpicklingError("another format")
    if not machine["little_endian"]:
        raise pickle.UnpicklingError("written on a big-endian machine")
    tensors = _named(content)
    if sum(tensor.count * tensor.storage.dtype.itemsize for tensor in tensors.values()) > 2 * len(stream):
        raise pickle.UnpicklingError("tensors that repeat the same numbers")
    storages = {tensor.storage.key: tensor.storage for tensor in tensors.values()}
    numbers = {key: _numbers(stream, storages[key]) for key in keys if isinstance(key, str)}
    return {name: _window(numbers[tensor.storage.key], tensor) for name, tensor in tensors.items()}


def _named(content: Any) -> dict[str, _Tensor]:
    for candidate in (content, *(content.get(name) for name in WRAPPERS)):
        if isinstance(candidate, dict):
            tensors = {str(name): value for name, value in candidate.items() if isinstance(value, _Tensor)}
            if tensors:
                return tensors
    return {}


def _numbers(stream: mmap.mmap, storage: _Storage) -> NDArray[Any]:
    length = int.from_bytes(stream.read(8), "little")
    if length != storage.count:
        raise pickle.UnpicklingError(f"a storage has {length} numbers, expected {storage.count}")
    return np.frombuffer(stream.read(length * storage.dtype.itemsize), storage.dtype, length)


def _window(numbers: NDArray[Any], tensor: _Tensor) -> NDArray[Any]:
    last = tensor.offset + sum(s * (n - 1) for s, n in zip(tensor.strides, tensor.shape, strict=True))
    if min((tensor.offset, *tensor.strides)) < 0 or min(tensor.shape, default=1) < 1 or last >= len(numbers):
        raise pickle.UnpicklingError("a tensor reaches outside of its storage")
    strides = [stride * numbers.itemsize for stride in tensor.strides]
    return as_strided(numbers[tensor.offset :], tensor.shape, strides).copy()


def _rebuilt(storage: Any, offset: Any, shape: Any, strides: Any, *_: Any) -> _Tensor:
    if not isinstance(storage, _Storage):
        raise pickle.UnpicklingError("a tensor without storage")
    (start,) = whole_numbers([offset])
    return _Tensor(storage, start, whole_numbers(shape), whole_numbers(strides))


KNOWN: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): _rebuilt,
    **{("torch", name): dtype for name, dtype in DTYPES.items()},
}


class _Unpickler(Inert):
    """Names outside the list are refused; nothing is ever imported."""

    def __init__(self, stream: mmap.mmap) -> None:
        super().__init__(stream, KNOWN, strict=True)

    def persistent_load(self, pid: Any) -> _Storage:
        kind, dtype, key, _, count, view = pid
        if (
            kind != "storage"
            or not isinstance(dtype, np.dtype)
            or view is not None
            or not isinstance(key, str)
        ):
            raise pickle.UnpicklingError("a storage of a kind that this reader does not know")
        (numbers,) = whole_numbers([count])
        return _Storage(key, dtype, numbers)
