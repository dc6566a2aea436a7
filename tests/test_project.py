"""The files around the code: workflows call targets that exist, versions agree, the image runs as nobody special."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

import bideta
from bideta.cli._pages import page
from support import wheel

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text())
STEPS = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]
DOCKER = [
    line.split(maxsplit=1)
    for line in (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    if line and not line.startswith("#")
]
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    ".github/pull_request_template.md",
    ".ci/run",
]


def test_the_workflows_lint_test_document_and_build_by_make():
    called = {target for step in STEPS for target in re.findall(r"make ([a-z]+)", step.get("run", ""))}
    assert called == {"lint", "test", "docs", "wheel"}
    assert called <= TARGETS
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert all("@v" in step["uses"] for step in STEPS if "uses" in step)


@pytest.mark.parametrize("name", PAGES)
def test_every_make_target_that_is_named_exists(name):
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", (ROOT / name).read_text(), re.MULTILINE))
    assert named <= TARGETS, named - TARGETS


def test_every_target_is_phony_and_explained():
    text = (ROOT / "Makefile").read_text()
    (phony,) = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert set(phony.split()) == TARGETS
    assert set(re.findall(r"^([a-z]+):.*## ", text, re.MULTILINE)) >= TARGETS - {"clean"}


def test_the_classifiers_are_the_pythons_that_are_tested():
    classified = {c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)}
    tested = [set(WORKFLOW["jobs"][job]["strategy"]["matrix"]["python"]) for job in ("test", "wheel")]
    assert tested == [classified, classified]
    assert set(wheel.PYTHONS) == classified
    assert PROJECT["requires-python"] == f">={min(classified)}"


def test_the_version_is_in_the_changelog():
    assert f"\n## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text()
    assert bideta.__version__ == version("bideta")


def test_pre_commit_runs_ruff_and_mypy_as_lint_does():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert [hook["id"] for hook in hooks] == ["ruff", "ruff-format", "mypy"]
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks)


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")), ids=lambda p: p.stem
)
def test_issue_templates_are_forms(path):
    form = yaml.safe_load(path.read_text())
    assert path.stem == "config" or {"name", "description", "body"} <= set(form)
    ids = [part["id"] for part in form.get("body", []) if "id" in part]
    assert len(ids) == len(set(ids))


def test_the_image_has_fixed_bases_a_user_a_port_and_a_health_check():
    words = [instruction for instruction, *_ in DOCKER]
    bases = [rest for instruction, rest in DOCKER if instruction == "FROM"]
    assert all(
        re.match(r"python:3\.\d+-slim-\w+( AS \w+)?$", base) for base in bases
    )  # a version, never latest
    last = len(words) - 1 - words[::-1].index("FROM")
    final = dict(DOCKER[last:])
    assert int(final["USER"]) > 0
    assert words.index("USER") > max(i for i, word in enumerate(words) if word == "RUN")
    assert final["EXPOSE"] == "8765"
    assert "8765/healthz" in final["HEALTHCHECK"]
    assert json.loads(final["CMD"])[:2] == ["bideta", "studio"]
    assert "ADD" not in words
    assert not any("--token" in rest or "BIDETA_TOKEN" in rest for _, rest in DOCKER)  # comes at the start


def test_what_the_image_copies_is_there_and_not_left_out():
    ignored = (ROOT / ".dockerignore").read_text().split()
    for instruction, rest in DOCKER:
        if instruction == "COPY" and not rest.startswith("--from"):
            for name in rest.split()[:-1]:
                assert (ROOT / name).exists()
                assert name not in ignored


def test_the_command_of_the_image_is_understood():
    from typer.main import get_command

    from bideta.cli import build

    (command,) = (json.loads(rest) for instruction, rest in DOCKER if instruction == "CMD")
    studio = get_command(build("studio")).commands["studio"]
    with studio.make_context("studio", command[2:]) as context:
        assert context.params["port"] == 8765
        assert context.params["host"] == "0.0.0.0"


def test_no_message_cites_a_page_that_is_not_in_the_wheel():
    """Docstrings and comments may name a file of the checkout; what a user reads names ``bideta help``."""
    import ast

    for path in (ROOT / "src").rglob("*.py"):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise):
                words = [
                    n.value
                    for n in ast.walk(node)
                    if isinstance(n, ast.Constant) and isinstance(n.value, str)
                ]
                assert not any("docs/" in word for word in words), path
    for path in (ROOT / "src/bideta/cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert "docs/" not in node.value, path


@pytest.mark.parametrize("topic", wheel.TOPICS)
def test_the_pages_that_the_wheel_is_asked_for_exist(topic):
    assert page(topic).startswith("# ")


def test_a_python_that_is_not_there_is_not_found():
    assert wheel.find("3.2") is None
    assert wheel.find(".".join(map(str, __import__("sys").version_info[:2]))) is not None
