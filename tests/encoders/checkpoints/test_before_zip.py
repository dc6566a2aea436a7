"""Torch files of before the zip: the same numbers as torch reads, and nothing else is ever called."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bideta.encoders.checkpoints.before_zip import MAGIC, VERSION, read_tensors


def written(path: Path, content: Any, keys: Any = (), storages: bytes = b"", magic: int = MAGIC) -> Path:
    parts = (magic, VERSION, {"little_endian": True}, content, list(keys))
    path.write_bytes(b"".join(pickle.dumps(part, protocol=2) for part in parts) + storages)
    return path


def test_the_same_numbers_as_torch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="it writes the file")
    whole = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
    state = OrderedDict(
        whole=whole, turned=whole.permute(2, 0, 1), part=whole[1, 1:], one=torch.tensor(7, dtype=torch.int64)
    )
    torch.save(state, tmp_path / "old.pth", _use_new_zipfile_serialization=False)
    tensors = read_tensors(tmp_path / "old.pth")
    assert list(tensors) == list(state)
    for name, tensor in state.items():
        np.testing.assert_array_equal(tensors[name], tensor.numpy())
        assert tensors[name].dtype == tensor.numpy().dtype


class Hostile:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_nothing_is_executed(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    path = written(tmp_path / "hostile.pth", {"weight": Hostile(trace)})
    with pytest.raises(
        ValueError, match=r"hostile\.pth cannot be read as a torch file \(it names .*which no"
    ):
        read_tensors(path)
    assert not trace.exists()


@pytest.mark.parametrize("cut", [0, 10, 200, -1])
def test_a_cut_file_is_refused(cut: int, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="it writes the file")
    path = tmp_path / "old.pth"
    torch.save({"a": torch.ones(40)}, path, _use_new_zipfile_serialization=False)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ValueError, match="damaged or incomplete"):
        read_tensors(path)


def test_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="another format"):
        read_tensors(written(tmp_path / "x.pth", {}, magic=1))


@pytest.mark.parametrize(
    ("offset", "shape", "strides"), [(1, (4,), (1,)), (0, (2,), (4,)), (3, (2,), (-1,)), (-1, (1,), (1,))]
)
def test_a_tensor_outside_of_its_storage_is_refused(
    offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    from bideta.encoders.checkpoints.before_zip import _Storage, _Tensor, _window

    storage = _Storage("0", np.dtype("<f4"), 4)
    with pytest.raises(pickle.UnpicklingError, match="outside of its storage"):
        _window(np.zeros(4, np.float32), _Tensor(storage, offset, shape, strides))
