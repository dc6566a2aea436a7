"""``bideta studio`` as a script or a person at a terminal meets it: its lines, its exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytest.importorskip("multipart", reason="the studio needs the extra serve")

from bideta.cli import studio
from bideta.studio.client import Client, StudioError

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "BIDETA_TOKEN"}
STUDIO = [
    sys.executable,
    "-c",
    "from bideta.cli import main; main()",
    "studio",
    "--no-open",
    "--encoder",
    "twin-tvl",
]


def test_the_address_is_printed_when_it_answers_and_ctrl_c_is_a_normal_end(tmp_path):
    home = tmp_path / "home"
    command = [*STUDIO, "--port", "0", "--home", str(home)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            address = re.fullmatch(
                r"studio: (http://127\.0\.0\.1:[0-9]+/#token=[-\w]{32})\n", server.stderr.readline()
            ).group(1)
            assert Client(address, patience=0).health()["status"] == "ok"  # at once, no second try
            assert Client(address).create()
            with pytest.raises(StudioError, match="needs its token"):
                Client(address.partition("#")[0]).create()
            assert server.stderr.readline() == f"sessions are kept in {home}; Ctrl-C stops the server\n"
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 0
            assert server.stderr.read() == f"stopped; sessions are kept in {home}\n"
        finally:
            server.kill()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--token", "x"], "the token has 1 characters, expected at least 8"),
        (["--token", "naïve token"], "the token must be printable ASCII"),
        (["--token", "long enough", "--no-token"], "--no-token and a token"),
        (["--host", "0.0.0.0", "--no-token"], "so a token is needed"),
    ],
)
def test_tokens_that_cannot_be_are_said_in_one_line(tmp_path, options, said):
    command = [*STUDIO, "--port", "0", "--home", str(tmp_path), *options]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=ENVIRONMENT)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_the_browser_is_given_a_ticket_and_not_the_token(monkeypatch, tmp_path):
    opened, served = [], threading.Event()
    monkeypatch.setattr(
        "bideta.cli.studio.webbrowser.open", lambda address: (opened.append(address), served.set())
    )
    apps = []

    def serve(app, sock, announce, largest_message):
        apps.append(app)
        announce()
        assert served.wait(10)

    monkeypatch.setattr("bideta.cli.studio.serve", serve)
    studio.main(port=0, encoder="twin-tvl", home=tmp_path, token="the token itself")
    word = opened[0].partition("#token=")[2]
    logins = apps[0].state.studio.logins
    assert word
    assert "itself" not in opened[0]
    assert logins.admits(word)
    assert not logins.admits(word)  # once
    apps[0].state.studio.pool.close()


def test_ctrl_c_does_not_wait_for_a_computation(tmp_path):
    """The computation is one that never ends, started by a request that is still waiting for it."""
    program = (
        "import threading; from bideta.studio import analysis, state; from bideta.cli import main; "
        "state.analysis.adapt = lambda *a: (print('computing', flush=True), threading.Event().wait()); main()"
    )
    command = [STUDIO[0], "-c", program, *STUDIO[3:], "--port", "0", "--home", str(tmp_path), "--no-token"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            port = int(re.search(r":([0-9]+)/", server.stderr.readline()).group(1))
            body = json.dumps({"title": "x"}).encode()
            session = json.loads(ask(port, "/v1/sessions", body))["session"]
            body = json.dumps({"session": session}).encode()
            waiting = threading.Thread(target=ask, args=(port, "/v1/adapt", body))
            waiting.start()
            assert server.stdout.readline() == "computing\n"
            start = time.monotonic()
            server.send_signal(signal.SIGINT)
            assert server.wait(30) == 0
            assert time.monotonic() - start < 15
            waiting.join(10)
        finally:
            server.kill()


def ask(port: int, path: str, body: bytes) -> bytes:
    """The answer, or nothing where the server went away."""
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()
    except OSError:
        return b""


def test_a_port_in_use_is_said_in_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        command = [*STUDIO, "--port", str(port), "--home", str(tmp_path / "home")]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 2
    assert ended.stderr == f"error: port {port} is in use; choose another with --port\n"


def test_an_address_that_is_not_this_machines_is_said_in_one_line(tmp_path):
    command = [*STUDIO, "--host", "192.0.2.1", "--token", "s3cret word", "--home", str(tmp_path / "home")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 2
    assert re.fullmatch(r"error: cannot bind to --host 192\.0\.2\.1 --port 8765: .+\n", ended.stderr)
