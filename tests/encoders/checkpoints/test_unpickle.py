"""The inert reader: nothing in a file is executed, damaged files are refused."""

from __future__ import annotations

import argparse
import contextlib
import os
import struct
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="checkpoints are read by torch (extra torch)")

from benchmarks.measuring.peak import peak  # noqa: E402

from attacks.checkpoints import with_pickle  # noqa: E402
from bideta.encoders.checkpoints import unpickle  # noqa: E402
from bideta.encoders.checkpoints.checkpoint import read  # noqa: E402
from bideta.encoders.checkpoints.inert import Stub  # noqa: E402
from bideta.encoders.checkpoints.unpickle import read_inert  # noqa: E402


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


def test_a_checkpoint_does_not_alter_classes_of_the_process(tmp_path: Path) -> None:
    path = tmp_path / "evil.ckpt"
    for name in (
        b"cargparse\nNamespace\n",
        b"ccollections\nOrderedDict\n",
        b"ctorch._utils\n_rebuild_tensor_v2\n",
    ):
        path.write_bytes(with_pickle(b"\x80\x02" + name + b"}X\x04\x00\x00\x00evilK\x01sb."))
        with contextlib.suppress(ValueError):
            read(path)
        assert not hasattr(argparse.Namespace, "evil")
        assert not hasattr(OrderedDict, "evil")
        assert not hasattr(unpickle._rebuilt, "evil")
        assert not hasattr(Stub, "evil")


def test_a_tensor_cannot_show_one_number_a_million_times(tmp_path: Path) -> None:
    path = tmp_path / "wide.ckpt"
    torch.save({"w": torch.ones(1).expand(1_000_000)}, path)
    with pytest.raises(ValueError, match=r"a tensor of 1000000 numbers over a storage of 1"):
        read(path)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (b"\x80\x05\x96" + struct.pack("<Q", 2**31) + b".", "150"),  # the instruction that it does not know
        (b"\x80\x02}r" + struct.pack("<I", 2**32 - 1) + b".", ""),  # a place in the memo: harmless here
        (b"\x80\x02X" + struct.pack("<I", 2**32 - 1) + b".", "more than 4,000,000 bytes"),
        (b"\x80\x02}" + b"}" * 4_000_000 + b".", "more than 4,000,000 bytes"),
        (b"\x80\x02}" + b"}" * 1_100_000 + b".", "1,000,000 instructions"),
        (b"\x80\x04\x95" + struct.pack("<Q", 2_000_000) + b"}" * 1_100_000 + b".", "1,000,000 instructions"),
        (b"\x80\x02J\x01", "unpack"),  # it ends within a number
        (b"\x80\x02})" + b"q\x00h\x00\x86" * 60 + b"Ns.", ""),  # never hashed
    ],
    ids=["bytearray", "memo", "text", "long", "many", "framed", "cut", "nested key"],
)
def test_a_small_pickle_cannot_ask_for_much(tmp_path: Path, code: bytes, reason: str) -> None:
    path = tmp_path / "bomb.ckpt"
    path.write_bytes(with_pickle(code))
    with peak() as memory:
        if reason:
            with pytest.raises(ValueError, match=rf"bomb\.ckpt cannot be read.*{reason}"):
                read(path)
        else:
            assert read(path) == {}
    assert memory.added < 200_000_000


def test_entries_that_lie_over_each_other_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "over.ckpt"
    torch.save({"w": torch.zeros(10_000)}, path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        large = max(archive.infolist(), key=lambda entry: entry.file_size)
        with zipfile.ZipFile(tmp_path / "copy.ckpt", "w") as copy:
            for number in range(20):
                copy.writestr(f"x/{number}", b"")
            copy.writestr("x/data.pkl", b"N.")
            for entry in copy.infolist()[:20]:
                entry.file_size = entry.compress_size = large.file_size  # in the list of contents alone
    assert len(content) < 60_000
    with pytest.raises(ValueError, match="lie over each other"):
        read(tmp_path / "copy.ckpt")
