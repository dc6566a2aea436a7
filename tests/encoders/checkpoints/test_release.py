"""Where weight files are found: offline unless asked, with the hash that was pinned."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from bideta.encoders import sparsh, t3, tvl
from bideta.encoders.checkpoints.folders import folders, keep_converted, sha256_of
from bideta.encoders.checkpoints.release import Release, in_folder, locate, status

RELEASE = Release("small", "somebody/small", ("small.ckpt",), ("teacher.", ""), "CC0")


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, weights_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (weights_folder / "converted").write_text("a file where the folder should be")
    with pytest.raises(OSError, match=r"cannot write .* set BIDETA_WEIGHTS to a folder that can be written"):
        keep_converted("x.safetensors", b"")


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
        self.kinds: set[str] = set()
        self.errors = types.ModuleType("huggingface_hub.errors")
        self.errors.EntryNotFoundError = self.EntryNotFoundError  # type: ignore[attr-defined]
        self.errors.LocalEntryNotFoundError = self.LocalEntryNotFoundError  # type: ignore[attr-defined]

    def hf_hub_download(
        self,
        repository: str,
        file: str,
        repo_type: str = "model",
        revision: str | None = None,
        local_files_only: bool = False,
    ) -> str:
        self.kinds.add(repo_type)
        self.asked.append((file, revision, local_files_only))
        if local_files_only and file not in self.cached:
            raise self.LocalEntryNotFoundError(file)
        if not local_files_only and self.sold is None:
            raise self.LocalEntryNotFoundError("the hub cannot be reached")
        if not local_files_only and file not in (self.sold or ()):
            raise self.EntryNotFoundError(file)
        (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
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


def test_a_file_in_a_dataset_is_asked_for_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stem, trunk = t3.releases("digit")
    hub = FakeHub(tmp_path, sold=(*stem.files, *trunk.files)).install(monkeypatch)
    for release in (stem, trunk):
        assert locate(release, download=True)[0] == tmp_path / release.files[0]
    assert hub.kinds == {"dataset"}
    assert stem.url() == (
        "https://huggingface.co/datasets/alanz-mit/FoundationTactile/blob/main/models/t3_medium/encoders/digit.pth"
    )
