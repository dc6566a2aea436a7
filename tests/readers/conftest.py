from __future__ import annotations

import sys

import pytest

from bideta.cli import main


@pytest.fixture
def bideta(capsys, monkeypatch):
    """Runs the command in this process: exit code, and everything it printed."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["bideta", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "200")
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run
