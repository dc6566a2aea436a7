"""A sensor in three colours, a server in its own process, and nothing else: what the studio's tests stand on."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image

TOKEN = "a token for tests"
COLOURS = {"bolt": (200, 60, 40), "key": (60, 190, 60), "nut": (50, 60, 200)}


def picture(name: str, seed: int, kind: str = "PNG", size: tuple[int, int] = (24, 20)) -> bytes:
    """A noisy picture of one of the three objects."""
    rng = np.random.default_rng((seed, *name.encode()))
    pixels = np.array(COLOURS[name]) + rng.normal(0, 25, (*size[::-1], 3)) + rng.normal(0, 10, 3)
    out = io.BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(out, kind)
    return out.getvalue()


def labelled(count: int = 5) -> dict[str, list[bytes]]:
    return {name: [picture(name, i) for i in range(count)] for name in COLOURS}


def folders(root: Path, count: int, seed: int) -> Path:
    """One folder for each object."""
    for name in COLOURS:
        (root / name).mkdir(parents=True)
        for i in range(count):
            (root / name / f"{i}.png").write_bytes(picture(name, seed + i))
    return root


class Server:
    """``bideta studio`` in its own process, on a port of its own, which a restart keeps."""

    def __init__(self, home: Path, *arguments: str, port: int = 0, **environment: str) -> None:
        self.home, self.arguments, self.port = home, arguments, port
        self.environment = {**os.environ, "OMP_NUM_THREADS": "1", "BIDETA_TOKEN": TOKEN, **environment}
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-c", "from bideta.cli import main; main()", "studio", "--no-open"]
        # The encoder that comes with the package; arguments may name another.
        command += [
            "--encoder",
            "twin-tvl",
            "--home",
            str(self.home),
            "--port",
            str(self.port),
            *self.arguments,
        ]
        self.log = (self.home.parent / f"{self.home.name}.log").open("ab")
        begin = self.log.tell()
        self.process = subprocess.Popen(command, stderr=self.log, stdout=self.log, env=self.environment)
        deadline = time.monotonic() + 120  # an idle machine needs three seconds
        while time.monotonic() < deadline:
            said = Path(self.log.name).read_bytes()[begin:].decode()
            found = re.search(r"studio: http://[^ ]+:([0-9]+)/", said)
            if found:
                self.port = int(found.group(1))
                try:
                    urllib.request.urlopen(f"{self.address}/healthz", timeout=5).close()
                    return
                except OSError:
                    pass
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended: {said}")
            time.sleep(0.05)
        raise RuntimeError("the server did not start within 120 s")

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def said(self) -> str:
        return Path(self.log.name).read_text()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=30)
        self.log.close()


@contextmanager
def serving(home: Path) -> Iterator[Server]:
    """A server that must not have failed at anything by the end."""
    server = Server(home)
    yield server
    server.stop()
    assert "Traceback" not in server.said
