"""What every record of a run carries beside its numbers: scale, versions, commit, engine."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bideta
from bideta.datasets import DatasetInfo

NOTED = ("numpy", "scipy", "scikit-learn", "onnxruntime", "torch")  # versions that a record keeps


@dataclass(frozen=True)
class Stamp:
    """The scale of the datasets, and the code that ran."""

    scale: float
    versions: Mapping[str, str]
    commit: str
    engine: str = ""  # who ran it

    def facts(self, info: DatasetInfo) -> dict[str, Any]:
        """Fields of a record of this dataset."""
        versions = dict(self.versions)
        return {
            "simulated": info.simulated,
            "scale": self.scale,
            "versions": versions,
            "commit": self.commit,
            "engine": self.engine,
        }


def versions() -> dict[str, str]:
    """Versions of Python, of this package and of what the numbers rest on, as far as installed."""
    installed = {"python": platform.python_version(), "bideta": importlib.metadata.version("bideta")}
    for name in NOTED:
        try:
            installed[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return installed


def commit() -> str:
    """Short hash of the checked-out commit, with "+" where files differ from it; empty outside a checkout."""
    folder = Path(bideta.__file__).parent

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()

    try:
        if not git("ls-files", "--", "__init__.py"):  # installed into somebody else's checkout
            return ""
        return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.SubprocessError):
        return ""
