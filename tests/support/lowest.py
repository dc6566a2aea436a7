"""``python tests/support/lowest.py``: constraints for pip, every dependency at the lowest version that we allow.

torch stays at the release that the Makefile pins, for older ones bring CUDA, and torchvision goes with it. Tools (the
group dev) may be new.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
PINNED_ELSEWHERE = ("torch", "torchvision", "bideta")
# Not with the lowest numpy: opencv 4.12, the first without known holes, takes numpy 2 only. LeRobot pins much else.
LEFT_OUT = ("live", "ros", "rerun", "lerobot")
REQUIREMENT = re.compile(r"([A-Za-z0-9_-]+)(?:\[[^]]*\])?>=([0-9][0-9.]*)(?:; python_version .*)?")


def lowest(project: Path = PROJECT) -> dict[str, str]:
    """Package → lowest version, of the base and of every extra that is tried."""
    table = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    extras = [needed for extra, needed in table["optional-dependencies"].items() if extra not in LEFT_OUT]
    found = {}
    for text in (requirement for part in (table["dependencies"], *extras) for requirement in part):
        match = REQUIREMENT.fullmatch(text)
        if match is not None and match[1] not in PINNED_ELSEWHERE:
            found[match[1]] = match[2]
    return found


if __name__ == "__main__":
    print("\n".join(f"{name}=={version}" for name, version in sorted(lowest().items())))
