"""One JSON file for each section, replaced whole after every measurement: an interrupted run loses at most one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from bideta.images.files import write_atomic

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "results"
# A quick run never replaces real results.
QUICK_HOME = ROOT / "build" / "benchmarks"
INNERMOST = re.compile(r"[\[{][^\[\]{}]*[\]}]")  # lists and objects without any inside


def folder_of(quick: bool) -> Path:
    """Where results go unless the command says otherwise."""
    return QUICK_HOME / "results" if quick else FOLDER


def path_of(folder: Path, section: str) -> Path:
    """Where a section's results are."""
    return folder / f"{section}.json"


def read(folder: Path, section: str) -> dict[str, Any]:
    """{"machine": …, "circumstances": …, "tasks": {name: record}}; without tasks where nothing was measured."""
    path = path_of(folder, section)
    if not path.exists():
        return {"machine": {}, "circumstances": {}, "tasks": {}}
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        content["tasks"].items()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} is not a result of this benchmark ({error}); delete it and run again"
        ) from error
    return content


def write(folder: Path, section: str, content: dict[str, Any], *, rows: bool = False) -> None:
    """Replace a section's results; with ``rows`` what holds numbers only is one line."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    if rows:
        text = INNERMOST.sub(lambda found: " ".join(found[0].split()), text)
    write_atomic(path_of(folder, section), (text + "\n").encode())


def answers(folder: Path, section: str) -> dict[str, dict[str, Any]]:
    """{task: its numbers}, the skipped ones left out."""
    tasks = read(folder, section)["tasks"]
    return {name: record["result"] for name, record in tasks.items() if "result" in record}


def skipped(folder: Path, section: str) -> dict[str, str]:
    """{task: why it was not measured}."""
    tasks = read(folder, section)["tasks"]
    return {name: record["skipped"] for name, record in tasks.items() if "skipped" in record}
