"""``/docs``: the API on one page for people, made from its OpenAPI description. No script, nothing from elsewhere."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from bideta.studio.words import WORDS

METHODS = ("get", "post", "put", "patch", "delete")
PARTS = {
    "serving": "Ask a sensor",
    "quantities": "Quantities",
    "studio": "What the page uses",
    "operation": "Operation",
}
DEPTH = 6  # of examples inside examples
TEMPLATE = Path(__file__).parent / "static" / "api.html"
PLACE = "<!-- routes -->"


def page(description: dict[str, Any]) -> str:
    """The whole page as HTML."""
    by_part: dict[str, list[str]] = {}
    for path, routes in description["paths"].items():
        for method in METHODS:
            if method in routes:
                part = (routes[method].get("tags") or ["operation"])[0]
                by_part.setdefault(part, []).append(_route(method, path, routes[method], description))
    order = [*(part for part in PARTS if part in by_part), *(part for part in by_part if part not in PARTS)]
    contents = "".join(
        f"<h2 id='{escape(part)}'>{escape(PARTS.get(part, part))}</h2>{''.join(by_part[part])}"
        for part in order
    )
    return TEMPLATE.read_text(encoding="utf-8").replace(PLACE, contents + _words())


def _route(method: str, path: str, route: dict[str, Any], description: dict[str, Any]) -> str:
    said = escape(route.get("description", "")).split("\n\n")
    first, more = said[0], [*said[1:]]
    parts = [f"<p>{_code(text)}</p>" for text in more]
    parts += [
        f"<p><code>?{escape(one['name'])}=</code> {escape(_kind(one['schema']))}</p>"
        for one in route.get("parameters", [])
        if one["in"] == "query"
    ]
    for media, content in route.get("requestBody", {}).get("content", {}).items():
        schema = _resolved(content.get("schema", {}), description)
        parts.append(f"<h3>Send {escape(_media(media))}</h3>{_fields(schema, description)}")
    for status, answer in route.get("responses", {}).items():
        schema = answer.get("content", {}).get("application/json", {}).get("schema")
        if status.startswith("2") and schema:
            example = _example(schema, description, 0)
            if example not in (None, {}, []):
                text = json.dumps(example, indent=1, ensure_ascii=False)
                parts.append(f"<h3>Answer {escape(status)}</h3><pre tabindex='0'>{escape(text)}</pre>")
    summary = (
        f"<b class='method'>{method.upper()}</b> <code>{escape(path)}</code> <span>{_code(first)}</span>"
    )
    if not parts:
        return f"<div class='route'>{summary}</div>"
    return f"<details class='route'><summary>{summary}</summary>{''.join(parts)}</details>"


def _fields(schema: dict[str, Any], description: dict[str, Any]) -> str:
    needed = schema.get("required", [])
    rows = []
    for name, given in schema.get("properties", {}).items():
        facts = _resolved(given, description)
        examples = facts.get("examples", [])
        shown = json.dumps(examples[0], ensure_ascii=False) if examples and examples[0] is not None else ""
        note = facts.get("description", "") + (f" e.g. {shown}" if shown else "")
        must = "" if name in needed else "optional"
        rows.append(
            f"<tr><td><code>{escape(name)}</code></td><td>{escape(_kind(facts))}</td><td>{must}</td><td>{escape(note)}</td></tr>"
        )
    return f"<table class='fields'><tbody>{''.join(rows)}</tbody></table>"


def _resolved(schema: dict[str, Any], description: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in schema:
        return schema
    named: dict[str, Any] = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return named


def _kind(schema: dict[str, Any]) -> str:
    """The type in a word or two."""
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if schema.get("format") == "binary":
        return "image"
    kinds = {"string": "text", "integer": "whole number", "object": "table", "boolean": "true | false"}
    return kinds.get(schema.get("type", ""), schema.get("type", "table"))


def _example(schema: dict[str, Any], description: dict[str, Any], depth: int) -> Any:
    """What an answer looks like, from the examples of its fields."""
    schema = _resolved(schema, description)
    if schema.get("examples"):
        return schema["examples"][0]
    if depth > DEPTH:
        return None
    if "properties" in schema:
        return {name: _example(one, description, depth + 1) for name, one in schema["properties"].items()}
    if schema.get("type") == "array":
        inner = _example(schema.get("items", {}), description, depth + 1)
        return [] if inner is None else [inner]
    return schema.get("default")


def _media(media: str) -> str:
    return {"application/json": "JSON", "multipart/form-data": "a form with images"}.get(media, media)


def _code(text: str) -> str:
    """Escaped text with ``code`` between double backticks."""
    return re.sub(r"``(.+?)``", r"<code>\1</code>", text)


def _words() -> str:
    rows = (
        f"<dt id='{word.replace(' ', '-')}'>{escape(word)}</dt><dd>{escape(line)} {escape(more)}</dd>"
        for word, (line, more) in WORDS.items()
    )
    return f"<h2 id='words'>Words</h2><dl class='words'>{''.join(rows)}</dl>"
