"""A reader of torch files that runs nothing: every class it does not know becomes an inert stub.

Sparsh's ``.ckpt`` pickles a scheduler, so ``torch.load(weights_only=True)`` refuses it, and ``weights_only=False``
would run any code in the file. This reader opens the archive as a zip of a pickle and raw tensors. The pickle may
name only what is needed to build tensors and dictionaries; a call of anything else does nothing. Nothing in the file
can take more memory than the file is long, except for the pickle, which is small (``inert``).
"""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bideta.encoders.checkpoints.inert import MAX_PICKLE, Inert, whole_numbers

MAX_ENTRIES = 100_000  # tensors of one file
DTYPES = {
    "FloatStorage": torch.float32, "HalfStorage": torch.float16, "BFloat16Storage": torch.bfloat16,
    "DoubleStorage": torch.float64, "LongStorage": torch.int64, "IntStorage": torch.int32,
    "ShortStorage": torch.int16, "CharStorage": torch.int8, "ByteStorage": torch.uint8, "BoolStorage": torch.bool,
}  # fmt: skip
# What a damaged or hostile file makes a reader raise.
REFUSALS = (
    pickle.UnpicklingError, zipfile.BadZipFile, AttributeError, EOFError, LookupError, OverflowError,
    RuntimeError, TypeError, ValueError, struct.error,
)  # fmt: skip


def _rebuilt(storage: Any, offset: Any, size: Any, stride: Any, *_: Any) -> Tensor:
    """The tensor over a storage; torch checks that it stays inside, we that it does not repeat numbers."""
    if not isinstance(storage, Tensor):
        raise pickle.UnpicklingError("a tensor without storage")
    (start,) = whole_numbers([offset])
    view = storage.as_strided(whole_numbers(size), whole_numbers(stride), start)
    if view.numel() > storage.numel():
        raise pickle.UnpicklingError(
            f"a tensor of {view.numel()} numbers over a storage of {storage.numel()}"
        )
    return view


def _parameter(data: Any = None, *_: Any) -> Any:
    return data


KNOWN: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): _rebuilt,
    ("torch._utils", "_rebuild_parameter"): _parameter,
    **{("torch", name): dtype for name, dtype in DTYPES.items()},
}


class _Unpickler(Inert):
    """The pickle of an archive, with its storages."""

    def __init__(self, archive: zipfile.ZipFile, root: str) -> None:
        super().__init__(io.BytesIO(archive.read(f"{root}data.pkl")), KNOWN)
        self._archive, self._root = archive, root
        self._storages: dict[str, Tensor] = {}

    def persistent_load(self, pid: Any) -> Tensor:
        kind, dtype, key, _, count = pid
        if kind != "storage" or not isinstance(dtype, torch.dtype) or not isinstance(key, str):
            raise pickle.UnpicklingError("a storage of a kind that this reader does not know")
        if key not in self._storages:
            content = bytearray(self._archive.read(f"{self._root}data/{key}"))
            empty = torch.empty(0, dtype=dtype)
            self._storages[key] = torch.frombuffer(content, dtype=dtype, count=count) if count else empty
        return self._storages[key]


def read_inert(path: Path) -> Any:
    """What ``torch.save`` wrote, with stubs for foreign objects; nothing in the file is executed."""
    try:
        with zipfile.ZipFile(path) as archive:
            root = _checked(archive, path.stat().st_size)
            return _Unpickler(archive, root).load()
    except REFUSALS as error:
        raise ValueError(
            f"{path.name} cannot be read as a torch checkpoint ({str(error)[:300]}); it may be damaged or incomplete: "
            "copy or download it again"
        ) from error


def _checked(archive: zipfile.ZipFile, size: int) -> str:
    """The folder of the pickle in an archive that is laid out as torch lays it out; ``size`` is the file's."""
    entries = {entry.filename: entry for entry in archive.infolist()[: MAX_ENTRIES + 1]}
    if len(archive.infolist()) > MAX_ENTRIES:
        raise pickle.UnpicklingError(f"more than {MAX_ENTRIES} entries")
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
        raise pickle.UnpicklingError("compressed entries, which torch.save never writes")
    if sum(entry.file_size for entry in archive.infolist()) > size:
        raise pickle.UnpicklingError("entries that lie over each other")
    pickles = [name for name in entries if name.endswith("/data.pkl")]
    if len(pickles) != 1:
        raise pickle.UnpicklingError(f"{len(pickles)} pickles in the archive, expected 1")
    if entries[pickles[0]].file_size > MAX_PICKLE:
        raise pickle.UnpicklingError(f"a pickle of more than {MAX_PICKLE:,} bytes; save the state_dict alone")
    root = pickles[0].removesuffix("data.pkl")
    if f"{root}byteorder" in entries and archive.read(f"{root}byteorder") != b"little":
        raise pickle.UnpicklingError("written on a big-endian machine")
    return root
