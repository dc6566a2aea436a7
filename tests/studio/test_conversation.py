"""The websocket's limits; what it answers is in test_server.py."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from bideta.studio.app import create_app
from bideta.studio.limits import Limits
from support.studio_server import labelled, picture


@pytest.fixture
def small(tmp_path):
    """A server that takes texts of a thousand characters and waits half a second."""
    limits = Limits(text_bytes=1000, stream_seconds=0.5)
    with TestClient(create_app(tmp_path, "twin-tvl", limits=limits), base_url="http://127.0.0.1") as client:
        yield client


def test_large_texts_are_refused_and_silence_ends_the_conversation(small):
    sent = [
        ("files", (f"{i}.png", content)) for some in labelled(3).values() for i, content in enumerate(some)
    ]
    labels = [label for label in labelled(3) for _ in range(3)]
    session = small.post("/v1/adapt", data={"labels": labels}, files=sent).json()["session"]
    with small.websocket_connect(f"ws://127.0.0.1/v1/stream?session={session}") as stream:
        assert stream.receive_json()["ready"]
        stream.send_text("[" * 1001)
        assert "larger than 1,000 characters" in stream.receive_json()["error"]
        stream.send_text('{"revise": true}')
        assert stream.receive_json() == {"revised": []}
        assert "no message for 0.5 s" in stream.receive_json()["error"]
        assert stream.receive()["type"] == "websocket.close"


def test_images_of_another_sensor_are_told_in_the_answer(client, session):
    with client.websocket_connect(f"ws://127.0.0.1/v1/stream?session={session}") as stream:
        stream.receive_json()
        stream.send_bytes(picture("bolt", 60))
        assert "check" not in stream.receive_json()
    with client.websocket_connect(f"ws://127.0.0.1/v1/stream?session={session}&touch=false") as stream:
        stream.receive_json()
        stream.send_bytes(picture("bolt", 60, size=(40, 20)))
        check = stream.receive_json()["check"]
        assert (check["level"], check["kind"]) == ("foreign", "another shape")
        assert "no reliability" in check["warning"]
