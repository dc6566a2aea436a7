"""The gel of a live stream: watched at the end of every press, its history kept for the page."""

from __future__ import annotations

import io

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from bideta import Bideta
from bideta.images.contact import LEARN_FRAMES
from bideta.studio import gel_watch
from bideta.studio.app import create_app
from bideta.studio.gel_watch import GelWatches
from support.sensor_shift import episode
from support.studio_server import labelled, picture


def grey(seed: int) -> bytes:
    """The untouched gel."""
    pixels = np.random.default_rng(seed).normal(120, 2, (20, 24, 3)).clip(0, 255).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def test_the_first_image_after_a_press_says_how_the_gel_is(tmp_path):
    with TestClient(create_app(tmp_path, "twin-tvl"), base_url="http://127.0.0.1") as client:
        sent = [
            ("files", (f"{i}.png", content))
            for some in labelled(3).values()
            for i, content in enumerate(some)
        ]
        labels = [label for label in labelled(3) for _ in range(3)]
        session = client.post("/v1/adapt", data={"labels": labels}, files=sent).json()["session"]
        assert client.get(f"/v1/sessions/{session}/health").json() == {"points": []}
        with client.websocket_connect(f"ws://127.0.0.1/v1/stream?session={session}&touch=true") as stream:
            stream.receive_json()

            def say(content: bytes) -> dict:
                stream.send_bytes(content)
                return stream.receive_json()

            assert not any("health" in say(grey(i)) for i in range(LEARN_FRAMES + 2))
            for press in (1, 2):
                assert say(picture("bolt", press))["press"] == press
                told = say(grey(100 + press))
                assert told["health"] == {
                    "press": press, "state": "healthy", "score": told["health"]["score"], "loss": None,
                    "to_label": [], "message": "healthy",
                }  # fmt: skip
                assert "health" not in say(grey(200 + press))
        points = client.get(f"/v1/sessions/{session}/health").json()["points"]
        assert [point["press"] for point in points] == [1, 2]
        assert client.get("/v1/sessions/nowhere/health").status_code == 404


@pytest.fixture
def adapted():
    data = episode(C=3, shots=10)
    return Bideta().fit(data.support, data.labels)


def test_a_watch_goes_on_until_the_sensor_is_another(adapted):
    watches = GelWatches()
    first = watches.open("a", adapted)
    assert watches.open("a", adapted) is first
    data = episode(C=3, shots=10)
    assert watches.open("a", Bideta().fit(data.support, data.labels)) is not first
    assert watches.history("a") == watches.history("b") == []


def test_the_oldest_watch_gives_way(adapted, monkeypatch):
    monkeypatch.setattr(gel_watch, "SESSIONS", 2)
    watches = GelWatches()
    for name in "abc":
        watches.open(name, adapted)
    assert list(watches.of) == ["b", "c"]


def test_a_worn_gel_names_presses_to_label(adapted):
    data = episode(C=3, shots=10, per_class=80)
    watch = GelWatches().open("a", adapted)
    order = np.random.default_rng(0).permutation(240)
    P = adapted.predict_proba(data.queries)
    for row in order[:120]:
        watch.press(tuple(H[row] for H in data.queries), P[row])
    moved = tuple(H * 1.5 + 6 for H in data.queries)
    Q = adapted.predict_proba(moved)
    for row in order[120:]:
        last = watch.press(tuple(H[row] for H in moved), Q[row])
    assert last["state"] == "worn"
    assert last["score"] == 0
    assert len(last["to_label"]) == 5
    assert all(120 < press <= 240 for press in last["to_label"])
    assert "label these contacts" in last["message"]
