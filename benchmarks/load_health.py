"""``python -m benchmarks.load_health PORT``: ask for health ten times a second until stdin closes; print the times.

A process of its own: inside the load generator it would measure the generator.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time

PERIOD = 0.1  # s


def main() -> None:
    """Probe until whoever started this closes our stdin."""
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=30)
    connection.connect()
    print("watching", flush=True)
    times = []
    while not ended.wait(PERIOD):
        start = time.perf_counter()
        connection.request("GET", "/healthz")
        response = connection.getresponse()
        response.read()
        times.append(time.perf_counter() - start if response.status == 200 else float("inf"))
    print(json.dumps([value for value in times if value < 30] + [30.0] * sum(value >= 30 for value in times)))


if __name__ == "__main__":
    main()
