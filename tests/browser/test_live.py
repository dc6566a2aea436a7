"""Live on the page: a simulated sensor or a camera, the running answer, the press as a strip, one key to correct it."""

from __future__ import annotations

import re

import pytest

from support.studio_page import adapt, filled

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright").expect
pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker


@pytest.fixture
def running(page, server, tmp_path):
    """The live page of an adapted session, on a simulated sensor that touches something."""
    filled(page, server, tmp_path)
    adapt(page)
    page.click("#tab-live")
    page.select_option("#live-source", "simulated Hex")
    page.click("#live-start")
    page.wait_for_selector("#live-strip li:nth-child(3)")
    return page


def test_a_press_is_answered_as_it_goes_with_rate_and_age(running, shots):
    page = running
    expect(page.locator("#live-answer")).to_have_text(re.compile("^(bolt|key|nut)$"))
    expect(page.locator("#live-sure")).to_contain_text(re.compile(r"[0-9]+ %"))
    expect(page.locator("#live-state")).to_contain_text(re.compile(r"press [0-9]+, [0-9]+ frames"))
    expect(page.locator("#live-rate")).to_have_text(re.compile(r"^[0-9.]+$"))
    expect(page.locator("#live-age")).to_have_text(re.compile(r"^[0-9]+ ms$"))
    expect(page.locator("#live-truth")).to_contain_text("(simulated)")
    strip = page.locator("#live-strip li").first
    expect(strip.locator("img")).to_be_visible()
    expect(strip).to_contain_text(re.compile(r"(bolt|key|nut)\s*[0-9]+ %"))
    page.keyboard.press("p")
    expect(page.locator("#live-pause")).to_have_text("Go on (p)")
    page.screenshot(path=shots / "live.png", full_page=True)
    page.keyboard.press("p")
    page.wait_for_function(
        "() => document.querySelector('#live-state').textContent.includes('nothing touches')"
    )
    page.click("#live-start")
    expect(page.locator("#live-body")).to_be_hidden()


def test_one_key_corrects_the_press_and_undo_takes_it_back(running):
    page = running
    page.keyboard.press("p")
    object_ = page.locator("#live-keys [data-key='2']").inner_text().split()[-1]
    page.keyboard.press("2")
    page.wait_for_selector(f"text=Learned: this is {object_}.")
    expect(page.locator("#undo")).to_have_text(f"Undo: live contact labelled {object_}")
    page.fill("#live-label", "washer")
    page.keyboard.press("Enter")
    page.click("#new-object [value=new]")
    page.wait_for_selector("text=Learned: this is washer.")
    page.click("#undo")
    page.wait_for_selector("text=Taken back: live contact labelled washer.")
    page.keyboard.press("Escape")
    page.click("#live-pause")
    page.wait_for_selector("#live-strip li:nth-child(3)")  # a new conversation goes on
    page.click("#tab-contacts")
    page.wait_for_selector("text=16 contacts, 3 objects")
    page.click("#tab-results")
    expect(page.locator("#tiles")).to_contain_text("16labels, 3 objects")


def test_a_camera_is_answered_too_and_without_a_sensor_the_page_says_what_to_do(page, server, tmp_path):
    filled(page, server, tmp_path)
    page.click("#tab-live")
    expect(page.locator("#live-empty")).to_contain_text("Adapt first")
    expect(page.locator("#live-start")).to_be_disabled()
    page.click("#tab-contacts")
    adapt(page)
    page.click("#tab-live")
    expect(page.locator("#live-source")).to_have_value("camera")
    page.click("#live-start")
    expect(page.locator("#live-rate")).to_have_text(re.compile(r"^[0-9.]+$"), timeout=60_000)
    page.click("#tab-export")  # leaving the page lets the camera go
    expect(page.locator("#live-start")).to_be_hidden()
    page.wait_for_selector("text=Download sensor.bideta")
