"""A studio to be put under load."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TOKEN = "load test on loopback"
COMMAND = (sys.executable, "-c", "from bideta.cli import main; main()", "studio", "--no-open", "--port", "0")


@contextmanager
def server(*options: str) -> Iterator[int]:
    """A studio in its own process and an empty folder; yields its port."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryFile("w+") as log:
        environment = {**os.environ, "BIDETA_TOKEN": TOKEN}
        process = subprocess.Popen([*COMMAND, "--home", home, *options], stderr=log, env=environment)
        try:
            yield _port(process, log)
        finally:
            process.terminate()
            process.wait(60)
            log.seek(0)
            said = log.read()
        if "Traceback" in said:
            raise RuntimeError(f"the server's log holds a traceback:\n{said}")


def _port(process: subprocess.Popen[bytes], log: Any) -> int:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        log.seek(0)
        address = re.search(r"http://[^ ]+:([0-9]+)/", log.read())
        if address:
            port = int(address.group(1))
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
            except OSError:
                pass
            else:
                return port
        time.sleep(0.05)
    raise RuntimeError("the server did not start")
