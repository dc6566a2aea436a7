from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytest.importorskip("multipart", reason="the studio needs the extra serve")

from fastapi.testclient import TestClient

from bideta.studio.app import create_app
from support.studio_server import labelled, picture


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """The server in this process; ``http://127.0.0.1`` is a name it knows."""
    with TestClient(
        create_app(tmp_path_factory.mktemp("home"), "twin-tvl"), base_url="http://127.0.0.1"
    ) as client:
        yield client


@pytest.fixture
def session(client):
    """A new session with fifteen labelled and nine new contacts, adapted."""
    name = client.post("/v1/sessions", json={"title": "left finger"}).json()["session"]
    for label, pictures in labelled().items():
        files = [("files", (f"{i}.png", content)) for i, content in enumerate(pictures)]
        assert (
            client.post(f"/v1/sessions/{name}/contacts", files=files, data={"labels": label}).status_code
            == 200
        )
        files = [("files", (f"new{i}.png", picture(label, 50 + i))) for i in range(3)]
        assert (
            client.post(f"/v1/sessions/{name}/contacts", files=files, data={"truths": label}).status_code
            == 200
        )
    assert client.post("/v1/adapt", json={"session": name}).status_code == 200
    return name
