"""Pictures of contacts in other looks, and the API on a page."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from bideta.images.contrast import enlarged_contrast
from bideta.images.differences import difference
from bideta.images.reading import decode_image
from bideta.studio.app import create_app
from bideta.studio.words import WORDS
from support.studio_server import picture


def pixels(content):
    return np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))


def contact_of(client, session, label=None):
    contacts = client.get(f"/v1/sessions/{session}").json()["contacts"]
    found = next(c for c in contacts if c["label"] == label)
    return f"/v1/sessions/{session}/contacts/{found['id']}/image"


def test_the_difference_is_taken_to_the_median_where_no_background_is_known(client, session):
    assert client.get(f"/v1/sessions/{session}").json()["background"] is False
    at = contact_of(client, session, "bolt")
    contacts = client.get(f"/v1/sessions/{session}").json()["contacts"]
    small = [pixels(client.get(f"/v1/sessions/{session}/contacts/{c['id']}/image").content) for c in contacts]
    middle = np.median(np.stack(small), axis=0).round().astype(np.uint8)
    shown = pixels(client.get(at, params={"look": "difference"}).content)
    np.testing.assert_array_equal(shown, difference(small[0], middle))


def test_the_difference_is_taken_to_the_background_where_one_is_known(tmp_path):
    background = np.random.default_rng(0).integers(0, 256, (20, 24, 3), dtype=np.uint8)
    app = create_app(tmp_path / "home", "difference:handmade", background=background)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        name = client.post("/v1/sessions", json={}).json()["session"]
        sent = picture("bolt", 1)
        client.post(f"/v1/sessions/{name}/contacts", files=[("files", ("a.png", sent))])
        assert client.get(f"/v1/sessions/{name}").json()["background"] is True
        shown = pixels(client.get(contact_of(client, name), params={"look": "difference"}).content)
    np.testing.assert_array_equal(shown, difference(decode_image(io.BytesIO(sent), "a"), background))


def test_a_large_picture_is_the_uploaded_one_within_bounds(client):
    name = client.post("/v1/sessions", json={}).json()["session"]
    sent = picture("bolt", 1, size=(300, 200))
    client.post(f"/v1/sessions/{name}/contacts", files=[("files", ("a.png", sent))])
    at = contact_of(client, name)
    assert pixels(client.get(at).content).shape == (85, 128, 3)
    np.testing.assert_array_equal(
        pixels(client.get(at, params={"large": True}).content), decode_image(io.BytesIO(sent), "a")
    )
    shown = pixels(client.get(at, params={"large": True, "look": "contrast"}).content)
    np.testing.assert_array_equal(shown, enlarged_contrast(decode_image(io.BytesIO(sent), "a")))


def test_another_look_is_refused(client, session):
    answer = client.get(contact_of(client, session), params={"look": "upside-down"})
    assert answer.status_code == 422
    assert "look" in answer.json()["error"]


def test_the_page_of_the_api_names_every_route_and_word_and_loads_no_script(client):
    answer = client.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    text = answer.text
    assert "<script" not in text
    assert not re.findall(r"(?:src|href)=['\"](?:https?:)?//", text)
    for path in client.get("/openapi.json").json()["paths"]:
        assert f"<code>{path}</code>" in text
    for word in WORDS:
        assert f"id='{word.replace(' ', '-')}'" in text


@pytest.mark.parametrize("word", WORDS)
def test_words_are_explained_in_a_line(client, word):
    line = client.get("/v1/info").json()["words"][word]
    assert line.endswith(".")
    assert len(line) < 130
