"""The pages of the manual that come with the package: found by name, cut to a section."""

from __future__ import annotations

import re
from pathlib import Path

import bideta
from bideta.spelling import did_you_mean

KINDS = (
    "start",
    "how-to",
    "explain",
    "reference",
    "evidence",
    "project",
    "notes",
)  # the first of two names wins


def home() -> Path:
    """The folder of the pages: inside an installed package, ``docs`` in a clone."""
    package = Path(bideta.__file__).parent
    for folder in (package / "pages", package.parents[1] / "docs"):
        if (folder / "index.md").is_file():
            return folder
    raise FileNotFoundError(f"{package / 'pages'}: the pages of the manual are missing; install bideta again")


def topics() -> dict[str, Path]:
    """Every page by its name (``own-sensor``); a name that is taken stands with its kind (``notes/quantities``)."""
    folder, found = home(), dict[str, Path]()
    for kind in (*KINDS, "."):
        for path in sorted((folder / kind).glob("**/*.md" if kind != "." else "*.md")):
            if path.stem != "index" and not path.read_text(encoding="utf-8").startswith("```{include}"):
                name = (
                    path.stem
                    if path.stem not in found
                    else path.relative_to(folder).with_suffix("").as_posix()
                )
                found[name] = path
    return found


def page(topic: str) -> str:
    """The text of ``topic``, or of one section: ``own-sensor#folders``."""
    name, _, section = topic.partition("#")
    known = topics()
    if name not in known:
        raise ValueError(f"no page {name!r}.{did_you_mean(name, known)} the list: bideta help")
    text = re.sub(r"^```\{toctree\}.*?^```\n", "", known[name].read_text(encoding="utf-8"), flags=re.M | re.S)
    return _section(text, section, name) if section else text


def anchor(title: str) -> str:
    """A heading as it stands in an address.

    >>> anchor("What it allows"), anchor("`fit` and `predict`")
    ('what-it-allows', 'fit-and-predict')
    """
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def _section(text: str, wanted: str, name: str) -> str:
    """From the heading to the next one of the same level or above."""
    fenced, level, lines = False, 0, list[str]()
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else re.match(r"(#+) (.*)", line)
        if heading and level and len(heading[1]) <= level:
            break
        if heading and not level and anchor(heading[2]) == wanted:
            level = len(heading[1])
        if level:
            lines.append(line)
    if not lines:
        raise ValueError(f"page {name!r} has no section {wanted!r}; bideta help {name} prints all of it")
    return "\n".join(lines) + "\n"
