from __future__ import annotations

import os
import shutil

import pytest

from support.studio_page import PATIENCE
from support.studio_server import TOKEN, serving

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]


# Closed after the last test of this folder: while Playwright is open its event loop runs here, and tests of other
# folders cannot start theirs.
@pytest.fixture(scope="package")
def chromium():
    if CHROMIUM is None:
        reason = "no Chromium: run tests/browser/install-chromium, or apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")  # a store of its own: the sessions of one file are not those of another
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("browser") / "home") as server:
        yield server


@pytest.fixture
def shots(request, tmp_path_factory):
    """Where screenshots go: ``--basetemp``'s folder ``screenshots``, to be looked at."""
    folder = tmp_path_factory.getbasetemp() / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def page(chromium, server):
    """A page that must not complain, nor ask any other server for anything."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    assert context.request.post(f"{server.address}/v1/login", data={"token": TOKEN}).ok
    page = context.new_page()
    complaints, elsewhere = [], []
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: (
            elsewhere.append(request.url)
            if not request.url.startswith((server.address, "blob:", "data:"))
            else None
        ),
    )
    page.complaints = complaints
    yield page
    context.close()
    assert not elsewhere
    assert not complaints
