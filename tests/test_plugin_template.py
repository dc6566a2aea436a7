"""The plug-ins to copy in ``examples/plugin`` pass the conformance suite, found by their entry points alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "examples" / "plugin"
PROJECT = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """An environment in which the package is installed: its code and its facts are on the path."""
    facts = tmp_path / "bideta_template-0.1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: bideta-template\nVersion: 0.1.0\n")
    groups = PROJECT["entry-points"].items()
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()) for group, points in groups]
    (facts / "entry_points.txt").write_text("\n".join(lines))
    path = [str(tmp_path), str(PLUGIN), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def test_the_templates_pass_the_conformance_suite(installed: dict[str, str]) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "tests/conformance",
        "-k",
        "template",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        command, cwd=ROOT, env=installed, capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout
    assert done.stdout.count(".") > 30  # every promise of three plug-ins


@pytest.mark.parametrize("kind", ["encoder", "dataset", "comparison"])
def test_the_page_of_five_steps_names_the_template(kind: str) -> None:
    article = "an" if kind == "encoder" else "a"
    page = (ROOT / "docs" / "how-to" / f"add-{article}-{kind}.md").read_text()
    assert f"examples/plugin/bideta_template/{kind}.py" in page
    assert [f"\n{step}. " in page for step in range(1, 6)] == [True] * 5
    assert "\n6. " not in page
