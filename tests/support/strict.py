"""Python with warnings as errors, in a process of its own."""

from __future__ import annotations

import sys

# What an older typer imports from a newer click is between the two.
STRICT = (sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning:typer")
