"""The command line: one file per command.

``cli/adapt.py`` with a function ``main`` is ``bideta adapt``; ``cli/sim.py`` with a typer ``app`` is the group
``bideta sim …``. Files that begin with an underscore are not commands.

The list of commands shows the docstring of each file. The file is read for that but not imported: imports are what a
short command spends its time on.
"""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

BAD_INPUT = 2  # exit code: nothing was done, the message says why


def build(asked: str | None = None) -> typer.Typer:
    """The ``bideta`` command with every subcommand found in this folder.

    Only the one ``asked`` for is imported; the others are only listed. None imports them all.
    """
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback()(_root)
    for entry in pkgutil.iter_modules(__path__):
        if entry.name.startswith("_"):
            continue
        if asked not in (None, entry.name):
            app.command(entry.name, help=_summary(entry.name))(_only_listed)
            continue
        module = importlib.import_module(f"{__name__}.{entry.name}")
        if hasattr(module, "app"):
            for command in module.app.registered_commands:
                command.help = flowing(command.help or command.callback.__doc__)
            app.add_typer(module.app, name=entry.name)
        else:
            app.command(entry.name, help=flowing(module.main.__doc__))(module.main)
    return app


def flowing(text: str | None) -> str:
    """Paragraphs in one line each, which the terminal breaks; rich would keep the line breaks of a docstring.

    >>> flowing("First.\\n\\n    A second paragraph\\n    goes on.\\n")
    'First.\\n\\nA second paragraph goes on.'
    """
    paragraphs = re.split(r"\n\s*\n", (text or "").strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def main() -> None:
    """Entry point. Bad input ends with one readable line; set BIDETA_DEBUG=1 to see where it came from."""
    try:
        build(next((word for word in sys.argv[1:] if not word.startswith("-")), ""))()
    except (ValueError, OSError, ImportError) as error:
        if os.environ.get("BIDETA_DEBUG"):
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def _summary(command: str) -> str:
    """The docstring of a command's file."""
    source = Path(__file__).with_name(f"{command}.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(source)) or ""


def _only_listed() -> None:
    raise AssertionError("a command that was not asked for")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"bideta {version('bideta')}")
        raise typer.Exit


def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Make a frozen tactile encoder work on a sensor it has never seen."""
