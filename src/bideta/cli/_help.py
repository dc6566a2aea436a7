"""How help looks: paragraphs that flow, examples to copy, flags without a type."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand, TyperGroup


def flowing(text: str | None) -> str:
    """Paragraphs in one line each, which the terminal breaks; rich would keep the line breaks of a docstring.

    >>> flowing("First.\\n\\n    A second paragraph\\n    goes on.\\n")
    'First.\\n\\nA second paragraph goes on.'
    """
    paragraphs = re.split(r"\n\s*\n", (text or "").strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def examples(lines: Iterable[str], command: str = "bideta") -> str:
    """What stands below a command's help: those of the lines that are about it.

    >>> examples(["bideta sim sheet a.png", "bideta sim probe b"], "bideta sim probe")
    'Example:\\n\\nbideta sim probe b'
    """
    own = [line for line in lines if f"{line} ".startswith(f"{command} ")]
    return "\n\n".join([f"Example{'s' if len(own) > 1 else ''}:", *own])


class Command(TyperCommand):
    """A command whose help says nothing about the type of a flag: a flag takes no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Options and arguments."""
        return _flags_without_type(super().get_params(ctx))


class Group(TyperGroup):
    """The same for a group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Options and arguments."""
        return _flags_without_type(super().get_params(ctx))


def _flags_without_type(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.display_type_rich = lambda ctx: None  # older typers do not ask, and print none
    return parameters
