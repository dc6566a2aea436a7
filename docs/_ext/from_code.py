"""Parts of the reference that are made from the code while the site is built: commands, and the server's routes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from typer.main import get_command

from bideta.cli import build


def setup(app: Any) -> dict[str, bool]:
    """Pages that end with what the code says."""
    app.connect("source-read", add)
    return {"parallel_read_safe": True}


def add(app: Any, page: str, source: list[str]) -> None:
    """The rest of a page that is written by hand."""
    made = {"reference/commands": commands, "reference/http": routes}.get(page)
    if made is not None:
        source[0] += "\n" + made()


def commands() -> str:
    """Every command: what it does, arguments, options, examples."""
    found: Any = get_command(build())
    return "\n".join(
        text for name, command in found.commands.items() for text in one(f"bideta {name}", command, 2)
    )


def one(words: str, command: Any, level: int) -> list[str]:
    """A section for a command, and one for each below it."""
    lines = [f"{'#' * level} {words}", "", plain(command.help or ""), ""]
    for title, kind in (("argument", "argument"), ("option", "option")):
        rows = [row(parameter) for parameter in command.params if parameter.param_type_name == kind]
        rows = [text for text in rows if text]
        if rows and not hasattr(command, "commands"):
            lines += [f"| {title} | default | |", "|---|---|---|", *rows, ""]
    below = getattr(command, "commands", {})
    examples = [line for line in (command.epilog or "").splitlines() if line.startswith("bideta ")]
    if examples and not below:
        lines += ["```sh", *examples, "```", ""]
    for name, inner in below.items():
        lines += one(f"{words} {name}", inner, level + 1)
    return lines


def row(parameter: Any) -> str:
    """An argument or an option in a table; --help is left out."""
    if parameter.name == "help":
        return ""
    names = parameter.opts if parameter.param_type_name == "option" else [parameter.name]
    default = parameter.default
    shown = (
        ""
        if callable(default) or default in (None, False, "", ()) or "Sentinel" in repr(type(default))
        else default
    )
    if getattr(parameter, "required", False):
        shown = "*needed*"
    elif shown != "":
        shown = f"`{shown}`"
    return f"| {', '.join(f'`{name}`' for name in names)} | {shown} | {plain(parameter.help or '')} |"


def plain(text: str) -> str:
    """Words that mean nothing to Markdown."""
    return (
        text.replace("|", "\\|")
        .replace("<", "\\<")
        .replace("*", "\\*")
        .replace("\\[", "[")
        .replace("\\*.", "\\*.")
    )


def routes() -> str:
    """The routes of the server, by its own description."""
    from bideta.studio.app import create_app

    with tempfile.TemporaryDirectory() as home:
        paths = create_app(Path(home), "handmade").openapi()["paths"]
    lines = ["| route | what it does |", "|---|---|"]
    for path, verbs in paths.items():
        for verb, facts in verbs.items():
            words = (facts.get("description") or facts.get("summary") or "").split("\n\n")[0]
            lines.append(f"| `{verb.upper()} {path}` | {plain(' '.join(words.split()))} |")
    return "\n".join(lines) + "\n"
