from __future__ import annotations

import os
import shutil

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]


# Closed with its module: while Playwright is open its event loop runs here, and other tests cannot start theirs.
@pytest.fixture(scope="module")
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
