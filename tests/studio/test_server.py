"""The real thing: ``bideta studio`` in its own process, the typed client, kill -9, slow clients."""

from __future__ import annotations

import re
import socket
import time
import urllib.parse
from pathlib import Path

import numpy as np
import pytest

from bideta import Bideta
from bideta.studio.client import Client, StudioError
from support.studio_server import COLOURS, TOKEN, labelled, picture, serving

HEAD = f"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n".encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("server") / "home") as server:
        yield server


@pytest.fixture
def client(server):
    return Client(server.address, TOKEN)


def test_the_client_adapts_predicts_ranks_learns_and_saves(client, tmp_path):
    sensor = client.adapt(labelled())
    assert sensor.classes == sorted(COLOURS)
    new = [picture(name, 30 + i) for name in COLOURS for i in range(3)]
    answers = client.predict(sensor.session, new)
    assert [row.label for row in answers.contacts] == [
        names[0] for names in client.rank(sensor.session, new, top=1)
    ]
    stored = client.add(sensor.session, [*new, b"not an image"])
    assert len(stored.ids) == 9
    assert len(stored.rejected) == 1
    assert sensor.presses == 15
    assert (
        len(client.add(sensor.session, [picture("key", 60 + i) for i in range(2)], "key", press=3).ids) == 2
    )
    assert client.adapt(session=sensor.session).presses == 16
    path = tmp_path / "new.png"
    path.write_bytes(picture("bolt", 70))
    assert client.learn(sensor.session, stored.ids[0], "bolt").labelled == 18
    assert client.learn(sensor.session, path, "bolt").labelled == 19
    client.save(sensor.session, tmp_path / "sensor.bideta")
    assert list(Bideta.load(tmp_path / "sensor.bideta").classes_) == sorted(COLOURS)
    client.delete(sensor.session)
    with pytest.raises(StudioError, match="no such session"):
        client.predict(sensor.session)


@pytest.mark.parametrize(
    "call",
    [
        lambda client, files: client.adapt({"bolt": [picture("bolt", 0)], "key": files}),
        lambda client, files: client.add("0" * 32, files),
        lambda client, files: client.predict("0" * 32, files),
        lambda client, files: client.rank("0" * 32, files),
        lambda client, files: client.learn("0" * 32, files[-1], "key"),
    ],
    ids=["adapt", "add", "predict", "rank", "learn"],
)
def test_a_folder_among_the_files_is_named_and_nothing_is_sent(client, tmp_path, call):
    before = client.health()["sessions"]
    with pytest.raises(
        ValueError, match=f"{re.escape(repr(str(tmp_path)))} is a folder, expected image files"
    ):
        call(client, [picture("key", 0), tmp_path])
    assert client.health()["sessions"] == before


def test_one_path_in_place_of_a_list_is_not_read_letter_by_letter(client):
    with pytest.raises(ValueError, match="images are 'new/', expected a list of files"):
        client.predict("0" * 32, "new/")
    with pytest.raises(ValueError, match=r"images are 'new\.png', expected a list of files"):
        client.predict("0" * 32, Path("new.png"))
    with pytest.raises(ValueError, match="is a folder, expected image files"):
        client.add("0" * 32, Path(__file__).parent)
    with pytest.raises(ValueError, match="images are a generator, expected a list of files"):
        client.adapt({"key": (picture("key", i) for i in range(2))})


def test_a_killed_server_comes_back_with_every_session(server, client):
    sensor = client.adapt(labelled())
    client.add(sensor.session, [picture(name, 40 + i) for name in COLOURS for i in range(3)])
    before = client.predict(sensor.session)
    server.kill()
    with pytest.raises(StudioError, match="does not answer"):
        client.health()
    server.start()
    after = client.predict(sensor.session)
    assert after == before
    added = client.add(sensor.session, [picture("key", 60)])
    assert added.ids[0] not in [row.id for row in before.contacts]


def test_a_slow_client_holds_nobody_up(server, client):
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
        start = time.perf_counter()
        client.health()
        assert client.create("beside a slow one")
        assert time.perf_counter() - start < 5
        assert not slow.recv(1, socket.MSG_DONTWAIT) if _readable(slow) else True


def _readable(connection):
    connection.setblocking(False)
    try:
        return bool(connection.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False


def test_a_body_of_a_hundred_megabytes_is_not_read(server, client):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as large:
        large.sendall(HEAD + b"Content-Length: 104857600\r\n\r\n")
        assert b" 413 " in large.recv(1000)
    client.health()


def test_the_client_shows_the_token_however_it_is_given(server, monkeypatch):
    with pytest.raises(StudioError, match="needs its token"):
        Client(server.address).create()
    with pytest.raises(StudioError, match="needs its token"):
        Client(server.address, "not the token").create()
    assert Client(server.address, TOKEN).create()
    assert Client(f"{server.address}/#token={urllib.parse.quote(TOKEN)}").create()
    monkeypatch.setenv("BIDETA_TOKEN", TOKEN)
    assert Client(server.address).create()


def test_the_stream_answers_corrects_and_keeps(client):
    pytest.importorskip("websockets")
    sensor = client.adapt(labelled())
    with client.stream(sensor.session) as stream:
        assert stream.classes == sorted(COLOURS)
        answers = [stream.predict(picture(name, 80 + i)) for i in range(3) for name in COLOURS]
        assert [answer["index"] for answer in answers] == list(range(9))
        assert all(abs(sum(answer["proba"]) - 1) < 1e-9 for answer in answers)
        with pytest.raises(StudioError, match="cannot read frame"):
            stream.predict(b"no image")
        stream.learn("washer")
        assert "washer" in stream.classes
        assert len(stream.revise()) == 9
        stream.keep()
    kept = client.predict(sensor.session, [picture(name, 95 + i) for name in COLOURS for i in range(4)])
    assert kept.classes == ["bolt", "key", "nut", "washer"]
    assert np.isfinite([row.reliability for row in kept.contacts]).all()


def test_the_stream_refuses_sessions_that_are_not_there(client):
    with pytest.raises(StudioError, match="no such session"), client.stream("0" * 32):
        pass
