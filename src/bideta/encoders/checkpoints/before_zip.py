"""Files that ``torch.save`` wrote before version 1.6 (and the zip), read into numpy without torch; nothing is executed.

Such a file is five pickles in a row (magic number, version, facts of the machine, content, keys of the storages),
then every storage as its length and its raw numbers. The pickles may name only what builds dictionaries and tensors.
"""

from __future__ import annotations

import pickle
import sys
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

MAGIC = 0x1950A86A20F9469CFC6C  # torch.serialization.MAGIC_NUMBER
VERSION = 1001  # torch.serialization.PROTOCOL_VERSION
DTYPES = {"FloatStorage": np.dtype("<f4"), "LongStorage": np.dtype("<i8")}
# What a damaged or hostile file makes a reader raise.
REFUSALS = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    LookupError,
    OverflowError,
    TypeError,
    ValueError,
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


def read_tensors(path: Path) -> Arrays:
    """The named tensors of a saved ``state_dict``, as arrays."""
    try:
        with path.open("rb") as stream:
            return _read(stream)
    except REFUSALS as error:
        raise ValueError(
            f"{path.name} cannot be read as a torch file ({error}); it may be damaged or incomplete: "
            "copy or install it again"
        ) from error


def _read(stream: BinaryIO) -> Arrays:
    magic, version, machine, content, keys = (_Unpickler(stream).load() for _ in range(5))
    if (magic, version) != (MAGIC, VERSION):
        raise pickle.UnpicklingError("another format")
    if not machine["little_endian"]:
        raise pickle.UnpicklingError("written on a big-endian machine")
    tensors = {str(name): value for name, value in content.items() if isinstance(value, _Tensor)}
    storages = {tensor.storage.key: tensor.storage for tensor in tensors.values()}
    numbers = {key: _numbers(stream, storages[key]) for key in keys}
    return {name: _window(numbers[tensor.storage.key], tensor) for name, tensor in tensors.items()}


def _numbers(stream: BinaryIO, storage: _Storage) -> NDArray[Any]:
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


def _rebuilt(storage: Any, offset: int, shape: Any, strides: Any, *_: Any) -> _Tensor:
    if not isinstance(storage, _Storage):
        raise pickle.UnpicklingError("a tensor without storage")
    return _Tensor(storage, offset, tuple(shape), tuple(strides))


class _Unpickler(pickle.Unpickler):
    """Names outside the list are refused; nothing is ever imported."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and name in DTYPES:
            return DTYPES[name]
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuilt
        raise pickle.UnpicklingError(f"it names {module}.{name}, which no tensor needs")

    def persistent_load(self, pid: Any) -> _Storage:
        kind, dtype, key, _, count, view = pid
        if kind != "storage" or not isinstance(dtype, np.dtype) or view is not None:
            raise pickle.UnpicklingError(f"storage {key!r} is of a kind this reader does not know")
        if not 0 <= count < sys.maxsize:
            raise pickle.UnpicklingError(f"storage {key!r} has {count} numbers")
        return _Storage(str(key), dtype, int(count))
