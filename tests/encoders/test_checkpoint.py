"""Weight files: never executed, converted once, strict with a readable difference, offline unless asked."""

from __future__ import annotations

import os
import sys
import types
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bideta.encoders import sparsh, tvl
from bideta.encoders.checkpoints.folders import folders, keep_converted, sha256_of
from bideta.encoders.checkpoints.release import Release, in_folder, locate, status

torch = pytest.importorskip("torch", reason="checkpoints are read by torch (extra torch)")

from bideta.encoders.checkpoints import checkpoint  # noqa: E402
from bideta.encoders.checkpoints.checkpoint import encoder_tensors, flat, read  # noqa: E402
from bideta.encoders.checkpoints.filling import load_strictly  # noqa: E402
from bideta.encoders.checkpoints.keys import CheckpointError, listed  # noqa: E402
from bideta.encoders.checkpoints.unpickle import Stub, read_inert  # noqa: E402
from bideta.encoders.networks.released import Shape, SparshNetwork, TvlNetwork  # noqa: E402

SMALL = Shape(channels=6, dim=16, depth=3, heads=2, size=32, projection=8)
RELEASE = Release("small", "somebody/small", ("small.ckpt",), ("teacher.", ""), "CC0")


class Trap:
    """Unpickling it naively runs the call."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def small_state() -> dict[str, Any]:
    return SparshNetwork(SMALL).state_dict()


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


def test_a_checkpoint_is_converted_once_and_remembers_its_source(
    tmp_path: Path, weights_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "small.ckpt"
    torch.save({"model": {f"module.teacher.{k}": v for k, v in small_state().items()}}, path)
    first = encoder_tensors(path, sha256_of(path), RELEASE)
    (converted,) = (weights_folder / "converted").iterdir()
    assert converted.name == f"small-{sha256_of(path)[:16]}.safetensors"
    assert checkpoint._remembered(converted) == sha256_of(path)
    monkeypatch.setattr(checkpoint, "read", lambda path: pytest.fail("read again"))
    again = encoder_tensors(path, sha256_of(path), RELEASE)
    assert first.keys() == again.keys()
    assert all(torch.equal(first[key], again[key]) for key in first)


def test_a_damaged_conversion_is_made_again(tmp_path: Path, weights_folder: Path) -> None:
    path = tmp_path / "small.ckpt"
    torch.save(small_state(), path)
    encoder_tensors(path, sha256_of(path), RELEASE)
    (converted,) = (weights_folder / "converted").iterdir()
    converted.write_bytes(b"torn")
    assert encoder_tensors(path, sha256_of(path), RELEASE).keys() == small_state().keys()
    assert converted.stat().st_size > 100


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, weights_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (weights_folder / "converted").write_text("a file where the folder should be")
    with pytest.raises(OSError, match=r"cannot write .* set BIDETA_WEIGHTS to a folder that can be written"):
        keep_converted("x.safetensors", b"")


def test_the_difference_is_grouped_and_says_what_the_file_is() -> None:
    state = {k: v for k, v in small_state().items() if "gamma" not in k and k != "register_tokens"}
    state |= {"cls_token": torch.zeros(1, 1, 16), "patch_embed.proj.weight": torch.zeros(16, 3, 16, 16)}
    with pytest.raises(CheckpointError) as error:
        load_strictly(SparshNetwork(SMALL), state, RELEASE, "mae.ckpt")
    message = str(error.value)
    assert "mae.ckpt does not fit 'small'" in message
    assert "missing (7): blocks.{0-2}.ls1.gamma, blocks.{0-2}.ls2.gamma, register_tokens" in message
    assert "unexpected (1): cls_token" in message
    assert "patch_embed.proj.weight is (16, 3, 16, 16), expected (16, 6, 16, 16)" in message
    assert "3 channels, 3 blocks, cls_token" in message
    assert "Pass weights= the file small.ckpt or small.safetensors of somebody/small" in message


def test_long_differences_are_shortened() -> None:
    assert listed(f"k{i}" for i in range(20)).endswith("and 12 more")


def test_a_larger_variant_is_recognised() -> None:
    state = {key: torch.zeros(1) for key in TvlNetwork(SMALL).state_dict()}
    state["patch_embed.proj.weight"] = torch.zeros(768, 3, 16, 16)
    with pytest.raises(CheckpointError, match=r"The file holds a ViT-Base \(width 768, 3 channels"):
        load_strictly(TvlNetwork(SMALL), state, tvl.RELEASE, "tvl_enc_vitb.pth")


def test_a_file_without_the_encoder_lists_what_it_has() -> None:
    with pytest.raises(CheckpointError, match=r"no key teacher.patch_embed.*among 1 tensors \(fc.weight\)"):
        checkpoint.mapped({"fc.weight": torch.zeros(1)}, RELEASE, "other.pth")
    assert flat([1]) == {}
    with pytest.raises(CheckpointError, match="among 0 tensors"):
        checkpoint.mapped(flat({"model": 3}), RELEASE, "other.pth")


@pytest.mark.usefixtures("no_hub")
def test_missing_weights_say_where_which_from_where_and_under_what_licence(weights_folder: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        sparsh.load()
    for part in (
        "dino_vitsmall.safetensors or dino_vitsmall.ckpt", str(weights_folder), "BIDETA_WEIGHTS", "weights=FILE",
        "https://huggingface.co/facebook/sparsh-dino-small", "CC BY-NC 4.0", "download=True",
    ):  # fmt: skip
        assert part in str(error.value)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'bideta\[hub\]'"):
        tvl.load(download=True)
    with pytest.raises(FileNotFoundError, match=r"weights is '/nowhere/x.pth': no such file"):
        tvl.load("/nowhere/x.pth")


@pytest.mark.usefixtures("no_hub")
def test_files_are_found_in_the_named_folder_then_in_the_home_one(
    weights_folder: Path, tmp_path: Path
) -> None:
    assert status(RELEASE) == (str(weights_folder / "small.ckpt"), False)
    home = tmp_path / "home" / ".cache" / "bideta" / "weights"
    assert folders() == [weights_folder, home]
    home.mkdir(parents=True)
    (home / "small.ckpt").write_bytes(b"1")
    assert in_folder(RELEASE) == home / "small.ckpt"
    (weights_folder / "small.safetensors").write_bytes(b"2")
    assert status(RELEASE) == (str(weights_folder / "small.safetensors"), True)
    assert locate(RELEASE, home)[0] == home / "small.ckpt"  # a folder is searched by name


def test_hashes_are_checked_and_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "small.ckpt"
    path.write_bytes(str(tmp_path).encode())
    for _ in range(2):
        _, computed = locate(RELEASE, path)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        f"small: small.ckpt, licence CC0; sha256 {computed} (not compared: pass sha256= to pin it)"
    ]
    assert locate(RELEASE, path, sha256=computed.upper())[1] == computed
    with pytest.raises(
        ValueError, match=f"has sha256 {computed}, expected 00: it is another file or damaged"
    ):
        locate(RELEASE, path, sha256="00")


def test_an_exported_file_is_not_a_weight_file(tmp_path: Path) -> None:
    (tmp_path / "x.onnx").touch()
    with pytest.raises(ValueError, match="an exported encoder is loaded as 'onnx:"):
        locate(RELEASE, tmp_path / "x.onnx")


class FakeHub(types.ModuleType):
    """huggingface_hub with a cache and a shop; notes what was asked."""

    class EntryNotFoundError(Exception): ...

    class LocalEntryNotFoundError(FileNotFoundError, EntryNotFoundError): ...

    def __init__(self, folder: Path, cached: tuple[str, ...] = (), sold: tuple[str, ...] | None = ()) -> None:
        super().__init__("huggingface_hub")
        self.folder, self.cached, self.sold = folder, cached, sold
        self.asked: list[tuple[str, str | None, bool]] = []
        self.errors = types.ModuleType("huggingface_hub.errors")
        self.errors.EntryNotFoundError = self.EntryNotFoundError  # type: ignore[attr-defined]
        self.errors.LocalEntryNotFoundError = self.LocalEntryNotFoundError  # type: ignore[attr-defined]

    def hf_hub_download(
        self, repository: str, file: str, revision: str | None = None, local_files_only: bool = False
    ) -> str:
        self.asked.append((file, revision, local_files_only))
        if local_files_only and file not in self.cached:
            raise self.LocalEntryNotFoundError(file)
        if not local_files_only and self.sold is None:
            raise self.LocalEntryNotFoundError("the hub cannot be reached")
        if not local_files_only and file not in (self.sold or ()):
            raise self.EntryNotFoundError(file)
        (self.folder / file).write_bytes(b"weights")
        return str(self.folder / file)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> FakeHub:
        monkeypatch.setitem(sys.modules, "huggingface_hub", self)
        monkeypatch.setitem(sys.modules, "huggingface_hub.errors", self.errors)
        return self


SAFE, CKPT = sparsh.RELEASE.files


def test_the_hub_is_asked_only_with_download_and_its_cache_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = FakeHub(tmp_path, sold=(SAFE,)).install(monkeypatch)
    with pytest.raises(FileNotFoundError, match="are expected as"):
        locate(sparsh.RELEASE)
    assert hub.asked == [(SAFE, None, True), (CKPT, None, True)]
    hub.asked.clear()
    path, computed = locate(sparsh.RELEASE, download=True, revision="abc", sha256=sha256_of_bytes(b"weights"))
    assert path == tmp_path / SAFE
    assert computed == sha256_of(path)
    assert hub.asked == [(SAFE, "abc", True), (CKPT, "abc", True), (SAFE, "abc", False)]


def test_a_cached_file_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = FakeHub(tmp_path, cached=(CKPT,), sold=None).install(monkeypatch)
    assert locate(sparsh.RELEASE, download=True)[0] == tmp_path / CKPT
    assert all(local for _, _, local in hub.asked)


def test_an_unreachable_hub_and_a_missing_file_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = FakeHub(tmp_path, sold=None).install(monkeypatch)
    with pytest.raises(OSError, match=r"cannot download https.*the hub cannot be reached.*are expected as"):
        locate(sparsh.RELEASE, download=True)
    assert len([entry for entry in hub.asked if not entry[2]]) == 1  # no second attempt at another file
    FakeHub(tmp_path, sold=(CKPT,)).install(monkeypatch)
    assert locate(sparsh.RELEASE, download=True)[0] == tmp_path / CKPT  # the other name in the repository


def sha256_of_bytes(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()
