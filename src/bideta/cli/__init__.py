"""The command line: one file per command.

``cli/adapt.py`` with a function ``main`` is ``bideta adapt``; ``cli/sim.py`` with a typer ``app`` is the group
``bideta sim …``. Files that begin with an underscore are not commands.

The list of commands shows the docstring of each file. The file is read for that but not imported: imports are what a
short command spends its time on. ``EXAMPLES`` in the file, one command a line, stand below its help.
"""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from bideta.cli._help import Command, Group, examples, flowing

BAD_INPUT = 2  # exit code: nothing was done, the message says why

# Commands in the order of a newcomer's first day; one that is named nowhere comes last.
GROUPS = {
    "Try it": ("demo", "sim", "help"),
    "Your own sensor": ("adapt", "predict", "rank", "evaluate", "suggest", "inspect", "encoders", "formats"),
    "In a browser, on a robot": ("studio", "live", "capture", "sensors"),
    "Data and experiments": ("data", "bench", "report"),
}
FIRST_STEPS = (
    "bideta demo",
    "bideta sim contacts try/ --sensor Hex",
    "bideta adapt try/support -o hex.bideta",
    "bideta evaluate hex.bideta try/queries --compare",
)


def build(asked: str | None = None) -> typer.Typer:
    """The ``bideta`` command with every subcommand found in this folder.

    Only the one ``asked`` for is imported; the others are only listed. None imports them all.
    """
    app = typer.Typer(
        cls=Group,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
        epilog=examples(FIRST_STEPS),
    )
    app.callback()(_root)
    commands = _commands()
    for name, group in commands.items():
        if asked not in (None, name):
            summary = "" if asked in commands else _summary(name)  # nobody reads the list beside a command
            app.command(name, help=summary, rich_help_panel=group)(_only_listed)
            continue
        module = importlib.import_module(f"{__name__}.{name}")
        lines, words = getattr(module, "EXAMPLES", "").strip().splitlines(), f"bideta {name}"
        shared: dict[str, Any] = {"epilog": examples(lines, words), "rich_help_panel": group}
        if hasattr(module, "app"):
            for command in module.app.registered_commands:
                command.cls = Command
                command.help = flowing(command.help or command.callback.__doc__)
                command.epilog = examples(lines, f"{words} {command.name or command.callback.__name__}")
            app.add_typer(module.app, name=name, cls=Group, **shared)
        else:
            app.command(name, cls=Command, help=flowing(module.main.__doc__), **shared)(module.main)
    return app


def main() -> None:
    """Entry point. Bad input ends with one readable line; set BIDETA_DEBUG=1 to see where it came from."""
    try:
        build("".join(sys.argv[1:2]))()
    except (ValueError, OSError, ImportError) as error:
        if os.environ.get("BIDETA_DEBUG"):
            raise
        from bideta.cli._terminal import in_clone, plain

        print(f"error: {in_clone(plain(str(error)))}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def _commands() -> dict[str, str]:
    """Every command of this folder and its group, in the order in which they are listed."""
    found = {entry.name for entry in pkgutil.iter_modules(__path__) if not entry.name.startswith("_")}
    grouped = {name: group for group, names in GROUPS.items() for name in names}
    return grouped | dict.fromkeys(sorted(found - set(grouped)), "More")


def _summary(command: str) -> str:
    """The docstring of a command's file."""
    source = Path(__file__).with_name(f"{command}.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(source)) or ""


def _only_listed() -> None:
    raise AssertionError("a command that was not asked for")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"bideta {version('bideta')}")
        raise typer.Exit


def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Make a frozen tactile encoder work on a sensor it has never seen."""
