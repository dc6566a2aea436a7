"""The inert reader: nothing in a file is executed, damaged files are refused."""

from __future__ import annotations

import os
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="checkpoints are read by torch (extra torch)")

from bideta.encoders.checkpoints.checkpoint import read  # noqa: E402
from bideta.encoders.checkpoints.unpickle import Stub, read_inert  # noqa: E402


class Trap:
    """Unpickling it naively runs the call."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize(
    "trap",
    [
        pytest.param(lambda marker: Trap(os.mkdir, str(marker)), id="os.mkdir"),
        pytest.param(lambda marker: Trap(exec, f"open({str(marker)!r}, 'w')"), id="exec"),
        pytest.param(lambda marker: Trap(os.system, f"touch {marker}"), id="os.system"),
        pytest.param(lambda marker: Trap(getattr, Trap(__import__, "os"), "mkdir"), id="getattr"),
    ],
)
def test_a_malicious_pickle_is_read_and_never_run(trap: Any, tmp_path: Path) -> None:
    marker, path = tmp_path / "marker", tmp_path / "evil.ckpt"
    torch.save({"model": {"w": torch.arange(3.0)}, "scheduler": trap(marker)}, path)
    with pytest.raises(Exception, match=r"(?i)weights.only"):
        torch.load(path, weights_only=True)
    for reader in (read, read_inert):
        content = reader(path)
        assert isinstance(content["scheduler"], Stub)
        assert content["model"]["w"].tolist() == [0, 1, 2]
    assert not marker.exists()


def test_a_tensor_cannot_reach_outside_its_storage(tmp_path: Path) -> None:
    storage = torch.zeros(4).untyped_storage()
    typed = torch.storage.TypedStorage(wrap_storage=storage, dtype=torch.float32, _internal=True)
    path = tmp_path / "wide.ckpt"
    build = torch._utils._rebuild_tensor_v2
    torch.save({"w": Trap(build, typed, 0, (10**6,), (1,), False, OrderedDict())}, path)
    with pytest.raises(ValueError, match=r"wide.ckpt cannot be read as a torch checkpoint .*out of bounds"):
        read_inert(path)


def test_views_halves_and_shared_storages_survive_the_inert_reader(tmp_path: Path) -> None:
    base = torch.arange(12.0).reshape(3, 4)
    saved = {
        "t": base.T,
        "row": base[1],
        "half": base.half(),
        "p": torch.nn.Parameter(base),
        "none": base[:0],
    }
    path = tmp_path / "views.pt"
    torch.save(saved, path)
    loaded = read_inert(path)
    for key, tensor in saved.items():
        assert loaded[key].dtype == tensor.dtype
        np.testing.assert_array_equal(loaded[key], tensor.detach())


@pytest.mark.parametrize("kind", ["text", "cut", "compressed", "two pickles"])
def test_damaged_files_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.ckpt"
    torch.save({"w": torch.zeros(1000)}, path)
    if kind == "text":
        path.write_text("<html>not found</html>")
    elif kind == "cut":
        path.write_bytes(path.read_bytes()[:2000])
    else:
        with zipfile.ZipFile(path) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
        if kind == "two pickles":
            entries["other/data.pkl"] = b"."
        compression = zipfile.ZIP_DEFLATED if kind == "compressed" else zipfile.ZIP_STORED
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, content in entries.items():
                archive.writestr(name, content)
    with pytest.raises(ValueError, match=r"bad.ckpt cannot be read as a torch checkpoint"):
        read_inert(path)
