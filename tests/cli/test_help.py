"""The help of the commands, as a terminal of 80 columns shows it."""

from __future__ import annotations

import pkgutil
import re
import shlex
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import bideta
from bideta import cli
from bideta.cli import build


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("suggest", "the pool; with it, to cover what the sensor doubts. Label some, adapt, and ask"),
        ("bench", "code is 1; the next run tries them again."),
    ],
)
def test_paragraphs_flow(monkeypatch, command, line):
    monkeypatch.setenv("COLUMNS", "80")
    result = CliRunner().invoke(build(), [command, "--help"])
    assert line in [shown.strip() for shown in result.output.splitlines()]


def test_every_command_is_listed_with_what_it_does(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    listed = CliRunner().invoke(build(""), ["--help"]).output
    for entry in pkgutil.iter_modules(cli.__path__):
        if not entry.name.startswith("_"):
            assert re.search(rf"│ {entry.name} +[A-Z].*[.]  ", listed), entry.name


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["nonsense"], []])
def test_the_list_of_commands_imports_none_of_them(arguments):
    program = (
        "import sys; from bideta.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'onnxruntime', 'PIL'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", program, *arguments], check=True, capture_output=True, timeout=60)


def test_the_package_can_be_run_as_a_module():
    run = subprocess.run(
        [sys.executable, "-m", "bideta", "--version"], check=True, capture_output=True, text=True, timeout=60
    )
    assert run.stdout == f"bideta {bideta.__version__}\n"


def test_a_command_is_the_same_whether_or_not_the_others_are_imported(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    for command in ("predict", "sim", "inspect"):
        alone, among_all = (CliRunner().invoke(app, [command, "--help"]) for app in (build(command), build()))
        assert alone.exit_code == 0
        assert alone.output == among_all.output


def test_the_estimator_is_imported_when_it_is_first_used():
    program = "import sys, bideta; assert 'sklearn' not in sys.modules; assert bideta.Bideta().alpha == 0.5"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    with pytest.raises(AttributeError, match="has no attribute 'Bidet'"):
        bideta.Bidet


def every_command():
    """Words → the command, groups and the root among them."""
    root = typer.main.get_command(build())
    found = {("bideta",): root}
    for name, command in root.commands.items():
        found["bideta", name] = command
        for inner, leaf in getattr(command, "commands", {}).items():
            found["bideta", name, inner] = leaf
    return found


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_every_help_has_examples_and_no_type_for_a_flag(words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    shown = CliRunner().invoke(build(), [*words[1:], "--help"]).output
    _, _, below = shown.partition("Example")
    assert re.search(rf"^ {' '.join(words)}( |$)", below, re.MULTILINE), shown
    assert "<bool>" not in shown
    assert "BOOLEAN" not in shown


def test_every_example_is_understood():
    commands, seen = every_command(), 0
    for words, command in commands.items():
        for line in (command.epilog or "").split("\n\n")[1:]:
            typed = shlex.split(line.partition(" | ")[0])
            longest = max((w for w in commands if tuple(typed[: len(w)]) == w), key=len)
            if longest == words:
                with command.make_context("bideta", typed[len(words) :]):  # parses, runs nothing
                    seen += 1
    assert seen > 25


def test_commands_stand_in_groups_and_none_is_forgotten(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    listed = CliRunner().invoke(build(""), ["--help"]).output
    assert [listed.index(f"─ {group} ─") for group in cli.GROUPS] == sorted(
        listed.index(f"─ {group} ─") for group in cli.GROUPS
    )
    files = {entry.name for entry in pkgutil.iter_modules(cli.__path__) if not entry.name.startswith("_")}
    assert {name for names in cli.GROUPS.values() for name in names} == files
