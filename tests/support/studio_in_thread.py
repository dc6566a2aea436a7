"""The studio's server in a thread of this process, with a session to attack; requests go to it through sockets."""

from __future__ import annotations

import http.client
import json
import logging
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from bideta.cli.studio import bind, serve
from bideta.studio.app import create_app
from bideta.studio.connections import Connection
from bideta.studio.limits import MB, Limits
from support.studio_server import COLOURS, picture

HOME = "BIDETA_ATTACKED_HOME"  # environment variable: where servers keep their sessions
HURRY = 3.0  # s for what a slow client may take, so that an attack with many of them ends


class Studio:
    """One server; it ends with the process."""

    def __init__(self, **limits: Any) -> None:
        Connection.header_seconds = Connection.write_seconds = HURRY
        self.home = Path(tempfile.mkdtemp(dir=os.environ.get(HOME)))
        settings = {"body_seconds": HURRY, "store_bytes": 200 * MB, **limits}
        self.app = create_app(self.home, "twin-tvl", limits=Limits(**settings), slots=1)
        sock, begun = bind("127.0.0.1", 0), threading.Event()
        self.port = sock.getsockname()[1]
        threading.Thread(target=serve, args=(self.app, sock, begun.set, MB), daemon=True).start()
        if not begun.wait(60):
            raise TimeoutError("the server did not start within 60 s")
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # every bad request is a warning
        self.session = self._filled()

    def _filled(self) -> str:
        """A session with labelled and new contacts, adapted."""
        session = self.json("POST", "/v1/sessions", {})["session"]
        for label in COLOURS:
            self.upload(session, [(f"{i}.png", picture(label, i)) for i in range(4)], labels=label)
        self.upload(session, [(f"{i}.png", picture("key", 50 + i)) for i in range(4)])
        self.json("POST", "/v1/adapt", {"session": session})
        return str(session)

    def upload(self, session: str, files: list[tuple[str, bytes]], **fields: str) -> dict[str, Any]:
        status, answer = self.ask("POST", f"/v1/sessions/{session}/contacts", *form(files, **fields))
        assert status == 200, answer
        return json.loads(answer)

    def json(self, method: str, path: str, body: Any) -> Any:
        status, answer = self.ask(method, path, json.dumps(body).encode(), "application/json")
        assert status < 300, answer
        return json.loads(answer or b"null")

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, bytes]:
        """Status and body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body or None, {"content-type": kind} if kind else {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


def form(files: list[tuple[str, bytes]], **fields: str) -> tuple[bytes, str]:
    """A multipart body and its content type."""
    parts = [
        f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode(
            "utf-8", "replace"
        )
        for name, value in fields.items()
    ]
    for name, content in files:
        quoted = name.replace('"', "%22").replace("\r", " ").replace("\n", " ").encode("utf-8", "replace")
        head = b'--edge\r\nContent-Disposition: form-data; name="files"; filename="' + quoted + b'"\r\n\r\n'
        parts.append(head + content + b"\r\n")
    return b"".join([*parts, b"--edge--\r\n"]), "multipart/form-data; boundary=edge"


@contextmanager
def attacked_home() -> Iterator[None]:
    """A folder for the servers of processes that are started inside; they may be killed, so it is removed here."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ[HOME] = folder
        try:
            yield
        finally:
            del os.environ[HOME]


@cache
def studio() -> Studio:
    """The server of this process."""
    return Studio()
