"""Where a released weight file is: named by the caller, in the weights folder, in the hub's cache, or on the hub.

Nothing is downloaded unless asked for.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bideta.encoders.checkpoints.folders import FOLDER_VARIABLE, folders, sha256_of
from bideta.encoders.checkpoints.keys import MARK

HUB = "https://huggingface.co"


@dataclass(frozen=True)
class Release:
    """A weight file as its authors published it.

    No revision and no hash is built in: we could not obtain the files. The hash of what was loaded is printed, and
    the caller may pin both.
    """

    encoder: str
    repository: str  # on the hub
    files: tuple[str, ...]  # inside the repository, preferred first
    prefixes: tuple[str, ...]  # what stands before our keys in the file, likeliest first
    licence: str
    local: str = ""  # its name in the weights folder, where not the original one
    kind: Literal["model", "dataset"] = "model"  # of the repository
    mark: str = MARK  # a key that tells which prefix is the encoder's
    pin: str = "sha256"  # the setting of the encoder that pins this file

    def names(self) -> tuple[str, ...]:
        """File names under which it is recognised in the weights folder."""
        if self.local:
            return (self.local,)
        original = [Path(file).name for file in self.files]
        return tuple(dict.fromkeys([*original, *(f"{Path(name).stem}.safetensors" for name in original)]))

    def url(self) -> str:
        """The page to get the file from by hand."""
        kind = "datasets/" if self.kind == "dataset" else ""
        return f"{HUB}/{kind}{self.repository}/blob/main/{self.files[0]}"


def in_folder(release: Release) -> Path | None:
    """The file in the weights folder, if it is there."""
    for folder in folders():
        for name in release.names():
            if (folder / name).is_file():
                return folder / name
    return None


def status(release: Release) -> tuple[str, bool]:
    """Where the file is or is expected, and whether it is there (in the folder or in the hub's cache)."""
    path = in_folder(release) or from_hub(release, None, download=False)
    return str(path or folders()[0] / release.names()[0]), path is not None


def locate(
    release: Release,
    weights: str | Path | None = None,
    *,
    download: bool = False,
    revision: str | None = None,
    sha256: str | None = None,
) -> tuple[Path, str]:
    """The weight file and its sha256, which must be ``sha256`` if that is given."""
    path = in_folder(release) if weights is None else _named(release, Path(weights).expanduser())
    path = path or from_hub(release, revision, download)
    if path is None:
        raise FileNotFoundError(_advice(release))
    computed = sha256_of(path)
    if sha256 and computed != sha256.lower():
        raise ValueError(
            f"{path} has sha256 {computed}, expected {sha256}: it is another file or damaged; get it from "
            f"{release.url()}, or pass {release.pin}={computed!r} if this is the file you want"
        )
    checked = "as pinned" if sha256 else f"not compared: pass {release.pin}= to pin it"
    announce(f"{release.encoder}: {path.name}, licence {release.licence}; sha256 {computed} ({checked})")
    return path, computed


def from_hub(release: Release, revision: str | None, download: bool) -> Path | None:
    """The file from the hub's cache; from the hub itself only with ``download``."""
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError
    except ModuleNotFoundError as error:
        if download:
            raise ModuleNotFoundError(
                "download needs huggingface_hub, which is missing: pip install 'bideta[hub]'"
            ) from error
        return None
    asked = functools.partial(hf_hub_download, release.repository, repo_type=release.kind, revision=revision)
    for file in release.files:  # the cache first: an unreachable hub would otherwise cost half a minute
        try:
            return Path(asked(file, local_files_only=True))
        except LocalEntryNotFoundError:
            continue
    if not download:
        return None
    announce(f"{release.encoder}: downloading {release.url()} ({revision or 'newest revision, not pinned'})")
    missing: OSError | EntryNotFoundError = FileNotFoundError(release.repository)
    for file in release.files:
        try:
            return Path(asked(file))
        except (OSError, EntryNotFoundError) as error:
            missing = error
            if isinstance(error, LocalEntryNotFoundError) or not isinstance(error, EntryNotFoundError):
                break  # the hub cannot be reached or refuses: asking for the next file would not help
    raise OSError(f"cannot download {release.url()}: {missing}. {_advice(release)}") from missing


@functools.cache
def announce(line: str) -> None:
    """Print the line on standard error, once in a process."""
    print(line, file=sys.stderr)


def _named(release: Release, path: Path) -> Path:
    if path.is_dir():
        for name in release.names():
            if (path / name).is_file():
                return path / name
    if not path.is_file():
        raise FileNotFoundError(f"weights is {str(path)!r}: no such file. {_advice(release)}")
    if path.suffix == ".onnx":
        raise ValueError(f"weights is {path.name!r}: an exported encoder is loaded as 'onnx:{path}'")
    return path


def _advice(release: Release) -> str:
    places = " or ".join(str(folder) for folder in folders())
    return (
        f"The weights of {release.encoder!r} are expected as {' or '.join(release.names())} in {places} "
        f"(or in ${FOLDER_VARIABLE}), or as weights=FILE. Get them from {release.url()} (licence: "
        f"{release.licence}), or ask for the download with download=True (--download, or --set download=true, on the "
        "command line)."
    )
