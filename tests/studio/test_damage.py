"""Files of a session that were altered: named, and the rest goes on."""

from __future__ import annotations

import io
import json
import shutil
import zipfile

import pytest
from fastapi.testclient import TestClient

from bideta.studio.app import create_app
from support.studio_server import COLOURS, picture


@pytest.fixture(scope="module")
def intact(tmp_path_factory):
    """Folder of a session with four uploads, adapted; its server has stopped."""
    home = tmp_path_factory.mktemp("intact")
    with serving(home) as client:
        name = client.post("/v1/sessions", json={}).json()["session"]
        for label in COLOURS:
            files = [("files", (f"{i}.png", picture(label, i))) for i in range(4)]
            client.post(f"/v1/sessions/{name}/contacts", files=files, data={"labels": label})
        files = [("files", (f"{i}.png", picture("key", 50 + i))) for i in range(4)]
        client.post(f"/v1/sessions/{name}/contacts", files=files)
        client.post("/v1/adapt", json={"session": name})
    return home / name


@pytest.fixture
def stored(intact, tmp_path):
    """A copy of that folder, to be damaged."""
    return shutil.copytree(intact, tmp_path / intact.name)


def serving(home):
    return TestClient(create_app(home, "twin-tvl"), base_url="http://127.0.0.1")


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff" * 1000])
def test_a_damaged_sensor_is_named_and_adapting_again_repairs_it(stored, content):
    (stored / "sensor.bideta").write_bytes(content)
    with serving(stored.parent) as client:
        view = client.get(f"/v1/sessions/{stored.name}")
        assert view.status_code == 200
        assert not view.json()["adapted"]
        assert "the adapted sensor cannot be read" in view.json()["damaged"][0]
        for path in ("results", "export/sensor.bideta", "export/predictions.csv"):
            answer = client.get(f"/v1/sessions/{stored.name}/{path}")
            assert answer.status_code == 409
            assert "Adapt again" in answer.json()["error"]
        assert client.get(f"/v1/sessions/{stored.name}/export/command.txt").status_code == 200
        assert client.post("/v1/adapt", json={"session": stored.name}).status_code == 200
        assert client.get(f"/v1/sessions/{stored.name}").json()["damaged"] == []
        assert client.get(f"/v1/sessions/{stored.name}/results").status_code == 200


def test_a_damaged_upload_is_named_and_its_number_is_not_given_again(stored):
    last = stored / "part-000004.contacts"
    last.write_bytes(last.read_bytes()[:-9])
    with serving(stored.parent) as client:
        view = client.get(f"/v1/sessions/{stored.name}").json()
        assert len(view["contacts"]) == 12
        assert "the upload part-000004.contacts cannot be read" in view["damaged"][0]
        files = [("files", ("new.png", picture("key", 70)))]
        added = client.post(f"/v1/sessions/{stored.name}/contacts", files=files).json()["added"]
    assert added[0]["id"] == "c5-0"


def test_a_picture_that_is_lost_while_the_server_runs_is_said(stored):
    with serving(stored.parent) as client:
        contacts = client.get(f"/v1/sessions/{stored.name}").json()["contacts"]
        (stored / "part-000004.contacts").write_bytes(b"")
        answer = client.get(f"/v1/sessions/{stored.name}/contacts/{contacts[-1]['id']}/image")
        assert answer.status_code == 410
        archive = client.get(f"/v1/sessions/{stored.name}/export/contacts.zip")
    with zipfile.ZipFile(io.BytesIO(archive.content)) as pictures:
        assert len(pictures.namelist()) == 12 + 2
        assert len(pictures.read("LOST.txt").splitlines()) == 4


@pytest.mark.parametrize(
    "change", [{"edits": []}, {"edits": {"c1-0": 5}}, {"title": None}, {"created": "x"}, {"more": 1}]
)
def test_altered_settings_are_said_and_nothing_else_suffers(stored, change):
    path = stored / "session.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with serving(stored.parent) as client:
        answer = client.get(f"/v1/sessions/{stored.name}")
        assert answer.status_code == 404
        assert "session.json is unreadable" in answer.json()["error"]
        assert client.get("/v1/sessions").json() == []
        assert client.delete(f"/v1/sessions/{stored.name}").status_code == 204
