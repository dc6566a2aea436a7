"""No room: on the disk or in the store. Nothing is changed, and the answer says so."""

from __future__ import annotations

import errno
import time

import pytest
from fastapi.testclient import TestClient

from bideta.studio.app import create_app
from bideta.studio.limits import Limits
from support.studio_server import labelled, picture


@pytest.fixture
def full(monkeypatch):
    """Call it, and the disk is full."""

    def fill():
        def fsync(descriptor):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("bideta.images.files.os.fsync", fsync)

    yield fill
    monkeypatch.undo()


def test_a_full_disk_changes_nothing_and_is_said(client, session, full):
    before = client.get(f"/v1/sessions/{session}").json()
    contact = next(row["id"] for row in before["contacts"] if row["label"] is None)
    place = f"/v1/sessions/{session}"
    full()
    answers = [
        client.patch(place, json={"title": "another"}),
        client.patch(f"{place}/contacts/{contact}", json={"label": "key"}),
        client.delete(f"{place}/contacts/{contact}"),
        client.post(f"{place}/contacts", files=[("files", ("a.png", picture("key", 333)))]),
        client.post("/v1/adapt", json={"session": session, "preset": "ranking"}),
        client.post("/v1/learn", json={"session": session, "contact": contact, "label": "key"}),
        client.post("/v1/sessions", json={}),
        client.post("/v1/adapt", data={"labels": "key"}, files=[("files", ("a.png", picture("key", 3)))]),
    ]
    assert [answer.status_code for answer in answers] == [507] * len(answers)
    assert "disk is full; nothing was changed" in answers[0].json()["error"]
    assert client.get(place).json() == before


def test_a_full_disk_leaves_no_session_behind(client, full):
    before = client.get("/v1/sessions").json()
    full()
    assert client.post("/v1/sessions", json={}).status_code == 507
    assert client.get("/v1/sessions").json() == before


def test_another_fault_of_the_disk_is_a_fault(client, session, monkeypatch):
    def fsync(descriptor):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("bideta.images.files.os.fsync", fsync)
    answer = client.patch(f"/v1/sessions/{session}", json={"title": "another"})
    assert answer.status_code == 500
    assert answer.json() == {"error": "the server failed on this request; its log says why"}


@pytest.fixture
def small(tmp_path):
    """A server whose store holds a hundred kilobytes."""
    app = create_app(tmp_path / "home", "twin-tvl", limits=Limits(store_bytes=100_000))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client


def test_the_store_is_not_filled_beyond_its_cap(small, tmp_path):
    name = small.post("/v1/sessions", json={}).json()["session"]
    statuses = []
    for i in range(12):
        sent = [("files", (f"{i}.bmp", picture("key", i, "BMP", size=(100, 60))))]
        statuses.append(small.post(f"/v1/sessions/{name}/contacts", files=sent).status_code)
    assert statuses[0] == 200
    assert statuses[-1] == 507
    stored = sum(path.stat().st_size for path in (tmp_path / "home").rglob("*") if path.is_file())
    assert stored < 110_000
    assert small.post("/v1/sessions", json={}).status_code == 201  # a little room is left


def test_an_example_ends_with_the_reason_where_the_store_is_full(small):
    name = small.post("/v1/sessions", json={}).json()["session"]
    for label, pictures in labelled(12).items():
        files = [("files", (f"{i}.png", content)) for i, content in enumerate(pictures)]
        small.post(f"/v1/sessions/{name}/contacts", files=files, data={"labels": label})
    job = small.post("/v1/example", json={"sensor": "Hex"}).json()
    deadline = time.monotonic() + 60
    while not (job["error"] or job["session"]) and time.monotonic() < deadline:
        job = small.get(f"/v1/jobs/{job['id']}").json()
        time.sleep(0.05)
    assert "delete sessions first" in job["error"]
    assert [row["id"] for row in small.get("/v1/sessions").json()] == [name]


def test_an_example_that_cannot_even_begin_ends_with_the_reason(tmp_path):
    app = create_app(tmp_path / "home", "twin-tvl", limits=Limits(sessions=0))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        job = client.post("/v1/example", json={"sensor": "Hex"}).json()
        deadline = time.monotonic() + 30
        while not job["error"] and time.monotonic() < deadline:
            job = client.get(f"/v1/jobs/{job['id']}").json()
    assert "delete sessions first" in job["error"]
