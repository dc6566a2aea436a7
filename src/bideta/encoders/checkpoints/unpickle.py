"""A reader of torch files that runs nothing: every class it does not know becomes an inert stub.

Sparsh's ``.ckpt`` pickles a scheduler, so ``torch.load(weights_only=True)`` refuses it, and ``weights_only=False``
would run any code in the file. This reader opens the archive as a zip of a pickle and raw tensors. The pickle may
name only what is needed to build tensors and dictionaries; a call of anything else does nothing.
"""

from __future__ import annotations

import argparse
import io
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

DTYPES = {
    "FloatStorage": torch.float32, "HalfStorage": torch.float16, "BFloat16Storage": torch.bfloat16,
    "DoubleStorage": torch.float64, "LongStorage": torch.int64, "IntStorage": torch.int32,
    "ShortStorage": torch.int16, "CharStorage": torch.int8, "ByteStorage": torch.uint8, "BoolStorage": torch.bool,
}  # fmt: skip
# What a damaged or hostile file makes a reader raise.
REFUSALS = (
    pickle.UnpicklingError, zipfile.BadZipFile, AttributeError, EOFError, LookupError, OverflowError,
    RuntimeError, TypeError, ValueError,
)  # fmt: skip


class Stub:
    """Stands for any class or function of the file: takes every call and does nothing."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __call__(self, *_: Any, **__: Any) -> Stub:
        """Another stub."""
        return Stub()

    def __setstate__(self, _: Any) -> None: ...

    def __setitem__(self, _: Any, __: Any) -> None: ...

    def append(self, _: Any) -> None:
        """Nothing."""

    def extend(self, _: Any) -> None:
        """Nothing."""


def _rebuilt(storage: Any, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: Any) -> Tensor:
    """The tensor over a storage; torch checks that it stays inside."""
    if not isinstance(storage, Tensor):
        raise pickle.UnpicklingError("a tensor without storage")
    return storage.as_strided(tuple(size), tuple(stride), offset)


ALLOWED: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("argparse", "Namespace"): argparse.Namespace,
    ("torch", "Size"): tuple,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuilt,
    ("torch._utils", "_rebuild_parameter"): lambda data, *_: data,
}


class _Unpickler(pickle.Unpickler):
    """Names outside ``ALLOWED`` are stubs; nothing is ever imported."""

    def __init__(self, archive: zipfile.ZipFile, root: str) -> None:
        super().__init__(io.BytesIO(archive.read(f"{root}data.pkl")))
        self._archive, self._root = archive, root
        self._storages: dict[str, Tensor] = {}

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and name in DTYPES:
            return DTYPES[name]
        return ALLOWED.get((module, name), Stub)

    def persistent_load(self, pid: Any) -> Tensor:
        kind, dtype, key, _, count = pid
        if kind != "storage" or not isinstance(dtype, torch.dtype):
            raise pickle.UnpicklingError(f"storage {key!r} is of a kind this reader does not know")
        if key not in self._storages:
            content = bytearray(self._archive.read(f"{self._root}data/{key}"))
            empty = torch.empty(0, dtype=dtype)
            self._storages[key] = torch.frombuffer(content, dtype=dtype, count=count) if count else empty
        return self._storages[key]


def read_inert(path: Path) -> Any:
    """What ``torch.save`` wrote, with stubs for foreign objects; nothing in the file is executed."""
    try:
        with zipfile.ZipFile(path) as archive:
            pickles = [name for name in archive.namelist() if name.endswith("/data.pkl")]
            if len(pickles) != 1:
                raise pickle.UnpicklingError(f"{len(pickles)} pickles in the archive, expected 1")
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                raise pickle.UnpicklingError("compressed entries, which torch.save never writes")
            root = pickles[0].removesuffix("data.pkl")
            if f"{root}byteorder" in archive.namelist() and archive.read(f"{root}byteorder") != b"little":
                raise pickle.UnpicklingError("written on a big-endian machine")
            return _Unpickler(archive, root).load()
    except REFUSALS as error:
        raise ValueError(
            f"{path.name} cannot be read as a torch checkpoint ({error}); it may be damaged or incomplete: "
            "copy or download it again"
        ) from error
