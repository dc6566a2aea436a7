"""``bideta studio`` as a script or a person at a terminal meets it: its lines, its exit codes."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytest.importorskip("multipart", reason="the studio needs the extra serve")

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
                r"studio: (http://127\.0\.0\.1:[0-9]+/)\n", server.stderr.readline()
            ).group(1)
            with urllib.request.urlopen(f"{address}healthz", timeout=60) as answer:  # at once, no second try
                assert answer.status == 200
            assert server.stderr.readline() == f"sessions are kept in {home}; Ctrl-C stops the server\n"
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 0
            assert server.stderr.read() == f"stopped; sessions are kept in {home}\n"
        finally:
            server.kill()


def test_a_port_in_use_is_said_in_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        command = [*STUDIO, "--port", str(port), "--home", str(tmp_path / "home")]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 2
    assert ended.stderr == f"error: port {port} is in use; choose another with --port\n"


def test_an_address_that_is_not_this_machines_is_said_in_one_line(tmp_path):
    command = [*STUDIO, "--host", "192.0.2.1", "--token", "s3cret", "--home", str(tmp_path / "home")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 2
    assert re.fullmatch(r"error: cannot bind to --host 192\.0\.2\.1 --port 8765: .+\n", ended.stderr)
