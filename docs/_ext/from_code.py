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
    app.connect("autodoc-skip-member", not_ours)
    return {"parallel_read_safe": True}


def not_ours(app: Any, kind: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Left out: what scikit-learn generates for its metadata routing; None lets others decide."""
    return True if name.startswith("set_") and name.endswith("_request") else None


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
    """The routes of the server, what they take and give, by its own description."""
    from bideta.studio.app import create_app

    with tempfile.TemporaryDirectory() as home:
        schema = create_app(Path(home), "handmade").openapi()
    named = schema["components"]["schemas"]
    lines = ["## Routes", "", "| route | what it does | takes | gives |", "|---|---|---|---|"]
    for path, verbs in schema["paths"].items():
        for verb, facts in verbs.items():
            words = (facts.get("description") or facts.get("summary") or "").split("\n\n")[0]
            cells = [
                f"`{verb.upper()} {path}`",
                plain(" ".join(words.split())),
                taken(facts, named),
                given(facts),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## Bodies and answers", ""]
    for name, facts in named.items():
        lines += [
            f"### {name}",
            "",
            plain(facts.get("description", "")),
            "",
            "| field | type | |",
            "|---|---|---|",
        ]
        for field, about in facts.get("properties", {}).items():
            needed = "" if field in facts.get("required", ()) else "may be left out; "
            words = needed + plain(about.get("description", ""))
            lines.append(f"| `{field}` | {kind(about)} | {words.removesuffix('; ')} |")
        lines.append("")
    return "\n".join(lines) + "\n"


def taken(facts: dict[str, Any], named: dict[str, Any]) -> str:
    """Query parameters and fields of the body; those of a form and of JSON apart."""
    parts = [f"`?{p['name']}`" for p in facts.get("parameters", ()) if p["in"] == "query"]
    for form, content in facts.get("requestBody", {}).get("content", {}).items():
        inside = content["schema"]
        if "$ref" in inside:
            parts.append(kind(inside))
        elif fields := inside.get("properties"):
            title = "form" if "form" in form else "JSON"
            parts.append(f"{title}: {', '.join(f'`{name}`' for name in fields)}")
    return "; ".join(parts)


def given(facts: dict[str, Any]) -> str:
    """What a request that succeeds is answered with."""
    code, answer = next((c, a) for c, a in facts["responses"].items() if c.startswith("2"))
    inside = next(iter(answer.get("content", {"": {}}).values())).get("schema", {})
    return f"{code} {kind(inside)}" if inside else code


def kind(schema: dict[str, Any]) -> str:
    """The type of a value in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(kind(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
