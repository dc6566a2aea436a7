"""The start page: what it is, three ways in, sessions with their figures; and the API for people."""

from __future__ import annotations

import re

import pytest

from support.studio_page import adapt, filled

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright").expect
pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker


def test_the_start_page_says_what_it_is_and_lists_sessions_with_figures(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    adapt(page)
    page.wait_for_selector("#gallery button")
    page.click("#home")
    page.wait_for_selector("#start:not([hidden])")
    text = page.inner_text("#start")
    assert "How many touches?" in text
    for way in ("Look at an example", "Your own pictures", "A live camera"):
        assert way in text
    row = page.locator("#recent-list li", has_text="left finger").first
    expect(row).to_contain_text("15 labels, 12 new, 100.0 % right (held-out)")
    row.get_by_role("button", name="Rename left finger").click()
    page.keyboard.type("right thumb")
    page.keyboard.press("Enter")
    row = page.locator("#recent-list li", has_text="right thumb")
    expect(row).to_have_count(1)
    for width in (375, 1440):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.screenshot(path=shots / f"start-{width}-{scheme}.png", full_page=True)
    # Figures of a session that is not in memory are read from its files.
    server.kill()
    server.start()
    page.reload()
    expect(page.locator("#recent-list li", has_text="right thumb")).to_contain_text(
        "15 labels, 12 new, 100.0 % right (held-out)"
    )
    page.complaints.clear()  # the browser notes that the server was away
    page.locator("#recent-list .open", has_text="right thumb").click()
    page.wait_for_selector("#gallery button")


def test_the_camera_is_one_click_from_the_start(page, server):
    page.goto(server.address)
    page.click("text=Open the camera")
    page.wait_for_url(re.compile("#[0-9a-f]{32}"))
    page.wait_for_selector("#camera-grab:not([disabled])")
    page.click("#camera-close")


@pytest.mark.parametrize("address", ["f" * 32, "left-finger/results"])
def test_an_unknown_session_is_said_to_be_unknown(page, server, address):
    page.goto(f"{server.address}/#{address}")
    expect(page.locator("#unknown")).to_contain_text(f"There is no session {address.split('/')[0]} here.")
    expect(page.locator("#start")).to_be_visible()
    page.complaints.clear()  # the browser notes a 404
    page.click("#home")
    expect(page.locator("#unknown")).to_be_hidden()


def test_the_api_is_described_for_people_without_any_script(page, server, shots):
    page.goto(server.address)
    page.click("text=the API on one page")
    page.wait_for_selector("h1 >> text=The API")
    assert page.locator("script").count() == 0
    for path in ("/v1/adapt", "/v1/predict", "/v1/rank", "/v1/learn", "/healthz"):
        assert page.locator(".route > code, .route summary > code", has_text=re.compile(f"^{path}$")).count()
    page.locator(".route", has_text="/v1/learn").first.locator("summary").click()
    expect(page.locator(".route[open]")).to_contain_text("contact")
    page.screenshot(path=shots / "docs.png")
    page.set_viewport_size({"width": 375, "height": 900})
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.screenshot(path=shots / "docs-375.png")
    page.goto(f"{server.address}/docs#gate")
    expect(page.locator("dt#gate")).to_be_in_viewport()
