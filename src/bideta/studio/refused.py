"""A request that cannot be served, and why."""

from __future__ import annotations


class RefusedError(Exception):
    """A request that cannot be served, with its HTTP status; the message is for people."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
