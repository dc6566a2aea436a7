"""One HTTP server that is asked, and waited for while it is busy: standard library only."""

from __future__ import annotations

import http.client
import json
import re
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


class StudioError(Exception):
    """The server refused; ``status`` is HTTP's, the message is the server's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Connection:
    """Where the server is, and how long to wait for it in seconds: for one answer, and in all while it is busy."""

    address: str
    token: str | None
    timeout: float
    patience: float

    def json(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a JSON body."""
        return json.loads(self.ask(method, path, json.dumps(body).encode(), "application/json"))

    def form(
        self, path: str, fields: Iterable[tuple[str, str]], files: Iterable[tuple[str, bytes]]
    ) -> dict[str, Any]:
        """The answer to a form with files (name, bytes)."""
        boundary = secrets.token_hex(16)
        content, kind = _multipart(boundary, fields, files), f"multipart/form-data; boundary={boundary}"
        return json.loads(self.ask("POST", path, content, kind))

    def ask(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> bytes:
        """The answer's bytes; ``kind`` is the content type of the body."""
        headers = {"Content-Type": kind} if kind else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        deadline = time.monotonic() + self.patience
        while True:
            request = urllib.request.Request(self.address + path, body, headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as response:
                    return response.read()
            except urllib.error.HTTPError as error:
                wait = float(error.headers.get("Retry-After") or 1)
                if error.code not in (429, 503) or time.monotonic() + wait > deadline:
                    raise StudioError(error.code, _message(error)) from error
                time.sleep(wait)
            except (urllib.error.URLError, http.client.HTTPException, ConnectionError) as error:
                raise StudioError(
                    0, f"{self.address} does not answer ({error}); is bideta studio running?"
                ) from error


def _multipart(boundary: str, fields: Iterable[tuple[str, str]], files: Iterable[tuple[str, bytes]]) -> bytes:
    parts = []
    for name, value in fields:
        field = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        parts.append(field.encode())
    for name, content in files:
        shown = re.sub(rb"[\r\n]", b" ", name.encode("utf-8", "replace").replace(b'"', b"%22"))
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="'.encode()
        parts += [head, shown, b'"\r\nContent-Type: application/octet-stream\r\n\r\n', content, b"\r\n"]
    return b"".join([*parts, f"--{boundary}--\r\n".encode()])


def _message(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read())["error"])
    except (ValueError, KeyError, TypeError):
        return f"the server answered {error.code}"
