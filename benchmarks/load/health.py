"""``python -m benchmarks.load.health PORT``: ask for health ten times a second until stdin closes; print the times.

A process of its own: inside the load generator it would measure the generator. After every check it also asks an idle
process for a byte: how long that takes is the machine's doing, not the server's.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import sys
import threading
import time
from multiprocessing.connection import Connection

PERIOD = 0.1  # s
LONGEST = 30.0  # s: an answer that did not come counts as this


def main() -> None:
    """Probe until stdin closes."""
    ours, theirs = multiprocessing.Pipe()
    multiprocessing.get_context("fork").Process(target=_echo, args=(theirs,), daemon=True).start()
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=LONGEST)
    connection.connect()
    print("watching", flush=True)
    health, idle = [], []
    while not ended.wait(PERIOD):
        start = time.perf_counter()
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        response.read()
        answered = time.perf_counter()
        health.append(answered - start if response.status == 200 else LONGEST)
        ours.send_bytes(b"?")
        ours.recv_bytes()
        idle.append(time.perf_counter() - answered)
    print(json.dumps({"health": health, "idle": idle}))


def _echo(pipe: Connection) -> None:
    while True:
        pipe.send_bytes(pipe.recv_bytes())


if __name__ == "__main__":
    main()
