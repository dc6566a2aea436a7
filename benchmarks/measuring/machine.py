"""What the numbers were measured on: processor, cores, libraries, code; no names of hosts or folders."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

LIBRARIES = ("bideta", "numpy", "scipy", "scikit-learn", "pynndescent", "ray", "threadpoolctl")


def facts() -> dict[str, Any]:
    """Processor and library versions; equal facts mean comparable timings."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": _blas(),
        "libraries": {name: _version(name) for name in LIBRARIES},
    }


def circumstances() -> dict[str, Any]:
    """What may change between two runs of the same code: the commit and how busy the machine was."""
    return {"commit": _commit(), "load_before": round(os.getloadavg()[0], 2)}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    fields = {name.strip(): value.strip() for name, value in fields.items()}
    family = ", ".join(f"{name} {fields[name]}" for name in ("cpu family", "model") if name in fields)
    widest = next(
        (flag for flag in ("avx512f", "avx2", "avx") if flag in fields.get("flags", "").split()), ""
    )
    return f"{fields.get('model name', platform.machine())} ({', '.join(filter(None, (family, widest)))})"


def _blas() -> list[str]:
    libraries = (
        f"{library['internal_api']} {library['version']} ({library.get('architecture', 'unknown kernels')})"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    )
    return sorted(set(libraries))


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _commit() -> str | None:
    """Short hash of the checked-out commit, with "+" where files differ from it; None outside a checkout."""
    folder = Path(__file__).parents[1]
    try:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=folder, capture_output=True, text=True, check=True
        )
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--", "../src", "*.py"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return commit.stdout.strip() + ("+" if changed.stdout.strip() else "")
