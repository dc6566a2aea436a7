"""Events to every browser or program that is connected: a websocket on this machine (extra ``live``)."""

from __future__ import annotations

import threading
from queue import Empty, Full, Queue
from typing import Any
from urllib.parse import urlsplit

from bideta.live.events import Event

WAITING = 64  # events kept for one slow reader; older ones are dropped
HOST = "127.0.0.1"  # there is no password, so it stays on this machine
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class WebSocket:
    """``ws://127.0.0.1:PORT``: each event as a JSON text message. Pages of other origins are refused."""

    def __init__(self, port: int) -> None:
        try:
            from websockets.sync.server import serve
        except ImportError as error:
            raise ImportError("the websocket needs websockets: pip install 'bideta[live]'") from error
        self._readers: set[Queue[str]] = set()
        self._guard = threading.Lock()
        self._closing = threading.Event()
        self._server = serve(self._serve, HOST, port, process_request=_refuse_strangers)
        self.port = self._server.socket.getsockname()[1]
        self.name = f"websocket ws://{HOST}:{self.port}"
        serving = self._server.serve_forever
        self._thread = threading.Thread(target=serving, name="bideta-websocket", daemon=True)
        self._thread.start()

    def write(self, event: Event, image: Any) -> None:
        """Hand the event to every reader; a full queue loses its oldest event."""
        text = event.to_json()
        with self._guard:
            readers = list(self._readers)
        for reader in readers:
            while True:
                try:
                    reader.put_nowait(text)
                    break
                except Full:
                    try:
                        reader.get_nowait()
                    except Empty:
                        continue

    def close(self) -> None:
        """Say goodbye to the readers and stop listening."""
        self._closing.set()
        self._server.shutdown()
        self._thread.join(timeout=5)

    def _serve(self, connection: Any) -> None:
        from websockets.exceptions import ConnectionClosed

        events: Queue[str] = Queue(WAITING)
        with self._guard:
            self._readers.add(events)
        try:
            while not self._closing.is_set():
                try:
                    connection.send(events.get(timeout=0.2))
                except Empty:
                    continue
        except ConnectionClosed:
            pass
        finally:
            with self._guard:
                self._readers.discard(events)


def _refuse_strangers(connection: Any, request: Any) -> Any:
    """A page from elsewhere must not read the robot's touch: browsers always send their origin."""
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).hostname not in LOOPBACK:
        return connection.respond(403, "this websocket only answers pages of this machine\n")
    return None
