from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from bideta.studio.app import create_app
from bideta.studio.limits import Limits
from support.studio_server import picture

TOKEN = "correct horse battery staple"


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    app = create_app(
        tmp_path_factory.mktemp("locked"),
        "twin-tvl",
        token=TOKEN,
        any_address=True,
        limits=Limits(request_bytes=200_000, text_bytes=100_000, files_per_request=4),
    )
    with TestClient(app, base_url="http://10.0.0.7") as client:
        yield client


def bearer(token=TOKEN):
    return {"authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "10.0.0.7", "localhost.", "[::1"],
)
def test_other_host_names_are_refused_against_dns_rebinding(client, host):
    assert client.get("/v1/sessions", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("get", "/v1/nothing", None, 404),
        ("get", "/v1/sessions/none", None, 404),
        ("put", "/v1/sessions", None, 405),
        ("post", "/v1/sessions", b"{", 422),
        ("post", "/v1/sessions", b'{"name": 3}', 422),
        ("post", "/v1/adapt", b"{}", 422),
    ],
)
def test_every_error_has_the_form_that_the_reference_tells(client, method, path, content, status):
    answer = client.request(method, path, content=content, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert isinstance(answer.json()["error"], str)
    page = Path(__file__).parents[2] / "docs" / "reference" / "http.md"
    text = page.read_text(encoding="utf-8")
    assert 'Errors are JSON, `{"error": "…"}`' in text
    assert f"{status} " in text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:9", "[::1]:8765", "LOCALHOST"])
def test_loopback_names_pass(client, host):
    assert client.get("/v1/sessions", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1.evil.example"]
)
def test_other_pages_cannot_change_anything(client, origin):
    answer = client.post("/v1/sessions", json={}, headers={"origin": origin})
    assert answer.status_code == 403
    assert client.post("/v1/sessions", json={}, headers={"origin": "http://127.0.0.1"}).status_code == 201


def test_cross_site_forms_are_refused_even_without_an_origin(client):
    answer = client.post("/v1/sessions", json={}, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403


def test_every_answer_carries_the_strict_headers(client):
    for path in ("/", "/healthz", "/v1/sessions", "/static/app.js", "/nowhere"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


def test_the_page_holds_no_inline_script_or_style(client):
    page = client.get("/").text
    assert '<script type="module" src=' in page
    assert page.count("<script") == 1
    assert " style=" not in page
    assert " onclick" not in page
    assert "http://" not in page
    assert "https://" not in page


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2f..%2f..%2fetc/passwd",
        "/static//etc/passwd",
        "/v1/sessions/..%2f..%2fetc",
        "/v1/sessions/%2e%2e/results",
        "/v1/sessions/" + "0" * 32 + "/export/..%2fsession.json",
    ],
)
def test_paths_lead_nowhere_else(client, path):
    answer = client.get(path)
    assert answer.status_code in (404, 405)
    assert "root:" not in answer.text


def test_without_the_token_only_the_empty_page_and_health_answer(locked):
    assert locked.get("/").status_code == 200
    assert locked.get("/static/app.js").status_code == 200
    assert locked.get("/healthz").status_code == 200
    for path in ("/v1/sessions", "/v1/info", "/metrics", "/openapi.json", "/static/../v1/info"):
        assert locked.get(path).status_code in (401, 404), path
    assert locked.get("/v1/sessions", headers=bearer("wrong")).status_code == 401
    name, _ = locked.app.state.studio.logins.cookie()
    assert locked.get("/v1/sessions", headers={"cookie": f"{name}=wrong"}).status_code == 401
    assert locked.get("/v1/sessions", headers={"cookie": "bideta_0123=of another server"}).status_code == 401
    assert locked.get("/v1/sessions", headers=bearer()).status_code == 200
    assert locked.get("/v1/sessions", headers={"host": "evil.example", **bearer()}).status_code == 421


def test_the_token_is_exchanged_for_a_cookie_that_scripts_cannot_read(locked):
    assert locked.post("/v1/login", json={"token": "wrong"}).status_code == 401
    answer = locked.post("/v1/login", json={"token": TOKEN})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert locked.get("/v1/sessions").status_code == 200
    locked.cookies.clear()


def test_bodies_beyond_the_limit_are_cut_off_announced_or_not(locked):
    large = b"x" * 300_000
    assert locked.post("/v1/predict", content=large, headers=bearer()).status_code == 413
    chunks = iter([large[:100_000]] * 3)
    assert locked.post("/v1/predict", content=chunks, headers=bearer()).status_code == 413


def test_more_files_than_allowed_are_refused(locked):
    name = locked.post("/v1/sessions", json={}, headers=bearer()).json()["session"]
    sent = [("files", (f"{i}.png", picture("bolt", i))) for i in range(5)]
    answer = locked.post(f"/v1/sessions/{name}/contacts", files=sent, headers=bearer())
    assert answer.status_code == 413
    said = answer.json()["error"]
    assert "more than 4 files" in said
    assert "in parts (POST /v1/sessions/{session}/contacts)" in said
    answer = locked.post(
        f"/v1/sessions/{name}/contacts",
        content=b"--x",
        headers={"content-type": "multipart/form-data", **bearer()},
    )
    assert answer.status_code == 422


def test_as_many_requests_as_there_may_be_send_the_next_one_away_but_not_health(client, monkeypatch):
    guard = client.app.middleware_stack
    while not hasattr(guard, "inflight"):
        guard = guard.app
    monkeypatch.setattr(guard, "active", Limits().requests)
    answer = client.get("/v1/sessions")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert client.get("/healthz").status_code == 200


def test_a_failure_of_ours_shows_no_trace(tmp_path, monkeypatch):
    app = create_app(tmp_path / "home", "twin-tvl")
    monkeypatch.setattr(app.state.studio.sessions, "listing", lambda: 1 / 0)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        answer = client.get("/v1/sessions")
    assert answer.status_code == 500
    assert answer.json() == {"error": "the server failed on this request; its log says why"}
