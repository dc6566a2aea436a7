"""Run every example of the gallery and keep its picture: ``python examples/draw_gallery.py docs/gallery/images``."""

from __future__ import annotations

import os
import runpy
import sys
import time
from pathlib import Path

GALLERY = Path(__file__).resolve().parent / "gallery"


def draw(name: str, folder: Path) -> Path:
    """The picture of one example, which draws into the folder it is run in."""
    import matplotlib.pyplot as plt

    before = Path.cwd()
    os.chdir(folder)
    try:
        runpy.run_path(str(GALLERY / f"{name}.py"), run_name="__main__")
    finally:
        os.chdir(before)
        plt.close("all")
    return folder / f"{name}.png"


def names() -> list[str]:
    """All examples."""
    return sorted(path.stem for path in GALLERY.glob("*.py"))


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in names():
        start = time.perf_counter()
        print(f"{draw(name, folder)}  {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
