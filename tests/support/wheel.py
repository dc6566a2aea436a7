"""Build wheel and sdist, install each into an empty environment of every Python at hand, and use it there.

python tests/support/wheel.py [PYTHON …]        (no name: 3.11, 3.12 and 3.13, as far as they are found)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13")
TOPICS = ("own-sensor", "submit-a-record", "troubleshooting")  # pages that must be inside


def find(version: str) -> Path | None:
    """The interpreter of a version: on the PATH, or one that pyenv keeps; None where there is none."""
    kept = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin/python")
    )
    on_path = shutil.which(f"python{version}")
    for candidate in (*kept[-1:], *([Path(on_path)] if on_path else [])):
        asked = [str(candidate), "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False, cwd=tempfile.gettempdir())
        if done.stdout.strip() == version:
            return candidate
    return None


def run(*command: object, cwd: Path) -> str:
    """What a command printed; it must not see this checkout."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(
            f"{' '.join(map(str, command))} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        )
    return done.stdout


def build() -> list[Path]:
    """The wheel and the sdist, made anew; pages and the encoders' weights are in the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", DIST, ROOT, cwd=ROOT)
    wheel, sdist = next(DIST.glob("*.whl")), next(DIST.glob("*.tar.gz"))
    inside = set(zipfile.ZipFile(wheel).namelist())
    for name in ("bideta/pages/how-to/own-sensor.md", "bideta/report/leaderboard/sort.js", "bideta/py.typed"):
        assert name in inside, f"{wheel.name} lacks {name}"
    assert not any(name.startswith("bideta/pages/") and not name.endswith(".md") for name in inside)
    return [wheel, sdist]


def use(python: Path, archive: Path) -> None:
    """Install into an empty environment and run the demo and the manual there."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        run(python, "-m", "venv", home / "venv", cwd=home)
        pip = (home / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
        run(*pip, f"{archive}[plots]", cwd=home)
        bideta = home / "venv/bin/bideta"
        version = run(bideta, "--version", cwd=home).strip()
        said = run(bideta, "demo", "--scale", "0.05", "--out", home / "demo.png", cwd=home)
        assert "simulated" in said, said
        assert (home / "demo.png").stat().st_size > 10_000
        for topic in TOPICS:
            assert run(bideta, "help", topic, cwd=home).startswith("# "), topic
        print(f"{archive.name} on {python}: {version}, demo and help run", flush=True)


def main() -> None:
    """Everything, or the versions named."""
    archives = build()
    missing = []
    for version in sys.argv[1:] or PYTHONS:
        python = find(version)
        if python is None:
            missing.append(version)
            continue
        for archive in archives:
            use(python, archive)
    if missing:
        print(f"not found, not tried: {', '.join(missing)}")
        if sys.argv[1:]:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
