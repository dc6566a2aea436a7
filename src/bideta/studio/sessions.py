"""All sessions: in memory while used, on disk always, gone after their lifetime."""

from __future__ import annotations

import logging
import os
import re
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bideta.encoders import Encoder
from bideta.studio import store
from bideta.studio.clock import Clock
from bideta.studio.limits import Limits
from bideta.studio.refused import RefusedError
from bideta.studio.session import Session
from bideta.studio.texts import clean_name

SESSION_ID = re.compile(r"[0-9a-f]{32}")
TOUCH = 60.0  # s between two notes of the last use
LOG = logging.getLogger("bideta.studio")


class Sessions:
    """All sessions of one folder; one server at a time."""

    def __init__(self, home: Path, encoder: Encoder, encoder_name: str, limits: Limits) -> None:
        self.home, self.encoder, self.encoder_name, self.limits = home, encoder, encoder_name, limits
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder_lock: int | None = _lock(home)
        self._lock = threading.Lock()
        self._clock = Clock()
        self._live: dict[str, Session] = {}
        self._sizes: dict[str, int] = {}  # of every session on disk
        self._counts: dict[str, tuple[int, int]] = {}  # labelled and new contacts of those not in memory
        self._doors: dict[str, threading.Lock] = {}  # locked while a session is read from disk
        for folder in home.iterdir():
            if folder.name.endswith(".removed"):
                store.remove(folder)
            elif SESSION_ID.fullmatch(folder.name) and (folder / store.META).is_file():
                self._sizes[folder.name] = store.size_of(folder)

    def __len__(self) -> int:
        return len(self._sizes)

    @property
    def bytes(self) -> int:
        """Bytes of all sessions."""
        return sum(self._sizes.copy().values())

    def create(self, title: str = "", *, simulated: bool = False) -> Session:
        """A new, empty session."""
        if len(self) >= self.limits.sessions or self.bytes >= self.limits.store_bytes:
            self.sweep()
        if len(self) >= self.limits.sessions or self.bytes >= self.limits.store_bytes:
            raise _full()
        name = secrets.token_hex(16)
        folder = self.home / name
        folder.mkdir(mode=0o700)
        meta = store.Meta(
            title=clean_name(title, self.limits)[:80] if title.strip() else "New sensor",
            created=time.time(),
            encoder=self.encoder_name,
            fingerprint=self.encoder.fingerprint,
            simulated=simulated,
        )
        try:
            store.write_meta(folder, meta)
        except OSError:
            store.remove(folder)
            raise
        session = Session(folder, meta, self.limits, self._reserve)
        with self._lock:
            self._live[name] = session
            self._sizes[name] = 0
        return session

    @contextmanager
    def use(self, name: str) -> Iterator[Session]:
        """The session of that id, restored from disk if need be; it stays in memory while it is used."""
        session = self._acquire(name)
        try:
            yield session
        except OSError as error:
            if session.folder.exists():
                raise
            raise _unknown() from error  # deleted while it was used
        finally:
            with self._lock:
                session.users -= 1
                if name in self._sizes:
                    self._sizes[name] = session.bytes

    def _acquire(self, name: str) -> Session:
        session = self._entered(name)
        if session is None:
            with self._door(name):  # one thread reads it from disk, others that want it wait
                session = self._entered(name)
                if session is None:
                    restored = Session.restore(self.home / name, self.limits, self._reserve)
                    with self._lock:
                        self._counts.pop(name, None)  # it may change now
                        session = self._live.setdefault(name, restored)
                        session.users += 1
        if session.meta.fingerprint != self.encoder.fingerprint:
            with self._lock:
                session.users -= 1
            raise RefusedError(
                409,
                f"this session was made with the encoder {session.meta.encoder!r}; this server runs "
                f"{self.encoder_name!r}. Start it with --encoder {session.meta.encoder}",
            )
        return session

    def _entered(self, name: str) -> Session | None:
        """The session, counted as used, if it is in memory; None if it is on disk only."""
        with self._lock:
            if name not in self._sizes:  # ids of ours only: nothing else is ever looked for on disk
                raise _unknown()
            session = self._live.get(name)
            if session is None:
                return None
            session.users += 1
            now = time.time()
            stale, session.used = now - session.used > TOUCH, now
        if stale:
            with suppress(FileNotFoundError):  # being deleted
                os.utime(session.folder / store.META)
        return session

    def _door(self, name: str) -> threading.Lock:
        with self._lock:
            return self._doors.setdefault(name, threading.Lock())

    def _reserve(self, name: str, size: int) -> None:
        """Count ``size`` more bytes of a session, or refuse them where the store is full."""
        with self._lock:
            if sum(self._sizes.values()) + max(size, 1) > self.limits.store_bytes:
                raise _full()
            if name in self._sizes:
                self._sizes[name] += size

    def listing(self) -> list[dict[str, Any]]:
        """Title, times, counts and last accuracy of all sessions, last used first."""
        rows = []
        for name in list(self._sizes):
            try:
                meta = store.read_meta(self.home / name)
                used = (self.home / name / store.META).stat().st_mtime
            except (OSError, ValueError):
                continue
            live = self._live.get(name)
            if live is None:
                if name not in self._counts:
                    self._counts[name] = store.count_contacts(self.home / name, meta)
                labelled, new = self._counts[name]
            else:
                labelled, new = len(live.support), len(live.queries)
            last: dict[str, Any] = meta.progress[-1] if meta.progress else {}
            rows.append(
                {
                    "id": name,
                    "title": meta.title,
                    "created": meta.created,
                    "used": max(used, live.used if live else 0.0),
                    "simulated": meta.simulated,
                    "usable": meta.fingerprint == self.encoder.fingerprint,
                    "labelled": labelled,
                    "new": new,
                    **{figure: last.get(figure) for figure in ("accuracy", "hidden_accuracy")},
                }
            )
        return sorted(rows, key=lambda row: -float(row["used"]))

    def delete(self, name: str) -> None:
        """Remove a session from memory and disk."""
        if name not in self._sizes:
            raise _unknown()
        with self._lock:
            for table in (self._live, self._sizes, self._counts, self._doors):
                table.pop(name, None)
        store.remove(self.home / name)

    def sweep(self) -> None:
        """Delete sessions past their lifetime; let idle ones leave memory.

        After the clock was set nobody knows how long a session was not used: all of them count as used now.
        """
        now = time.time()
        if self._clock.jumped():
            LOG.warning("the clock was set; the lifetime of every session begins anew")
            self._use_all(now)
            return
        for name in list(self._sizes):
            live = self._live.get(name)
            if live is not None and (live.users or now - live.used < self.limits.lifetime):
                continue
            try:
                used = (self.home / name / store.META).stat().st_mtime
            except OSError:
                used = 0.0
            if now - used > self.limits.lifetime:
                self.delete(name)
        with self._lock:
            for name, live in list(self._live.items()):
                if not live.users and now - live.used > self.limits.idle:
                    del self._live[name]

    def _use_all(self, now: float) -> None:
        with self._lock:
            for live in self._live.values():
                live.used = now
        for name in list(self._sizes):
            with suppress(FileNotFoundError):  # being deleted
                os.utime(self.home / name / store.META, (now, now))

    def close(self) -> None:
        """Let another server have the folder."""
        if self._folder_lock is not None:
            os.close(self._folder_lock)
            self._folder_lock = None


def _full() -> RefusedError:
    return RefusedError(507, "the server holds as many sessions or bytes as it may; delete sessions first")


def _unknown() -> RefusedError:
    return RefusedError(404, "there is no such session; it may have expired. Start a new one")


def _lock(home: Path) -> int:
    """A lock on the folder, given up when the process ends, however it ends.

    Windows has no such lock: there, nothing stops two servers from sharing a folder.
    """
    descriptor = os.open(home / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise ValueError(
            f"{home} is used by another studio that is still running; stop it, or choose another --home"
        ) from error
    return descriptor
