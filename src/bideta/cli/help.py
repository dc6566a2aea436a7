"""Pages of the manual, offline."""

from __future__ import annotations

from typing import Annotated

import typer

from bideta.cli._pages import home, page, topics

EXAMPLES = """
bideta help
bideta help own-sensor
bideta help own-sensor#folders
"""


def main(
    topic: Annotated[
        str | None, typer.Argument(help="name of a page, or of a section: own-sensor#folders")
    ] = None,
) -> None:
    """Print a page of the manual; without a name, list the pages."""
    if topic is not None:
        print(page(topic), end="")
        return
    for name, path in topics().items():
        title = next(line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# "))
        print(
            f"{name:28} {path.relative_to(home()).parts[0].removesuffix('.md'):12} {title.removeprefix('# ')}"
        )
