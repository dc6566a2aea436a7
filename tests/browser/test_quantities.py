"""Quantities on the page: a table comes in; predicted against true, intervals and a map by value are shown."""

from __future__ import annotations

import re

import pytest

from support.studio_page import adapt, filled
from support.studio_server import COLOURS

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright").expect
pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker


@pytest.fixture
def measured(page, server, tmp_path):
    """A session with a table of depths; new contacts of it are checked."""
    filled(page, server, tmp_path)
    rows = [
        f"{folder}/{name}/{i}.png,{COLOURS[name][0] / 100 + i / 50:.3f},{i}"
        for folder, count in (("labelled", 5), ("new", 4))
        for name in COLOURS
        for i in range(count)
    ]
    table = tmp_path / "targets.csv"
    table.write_text("\n".join(["path,depth_mm,tilt_x_deg", *rows]) + "\n")
    page.click("#measure summary")
    page.set_input_files("#measure-table", table)
    page.wait_for_selector(
        "text=depth_mm, tilt_x_deg of 15 contacts learned, of 12 kept back to check the answers."
    )
    page.click("#tab-results")
    page.wait_for_selector("#values button")
    return page


def test_values_intervals_and_truth_are_shown_and_the_map_is_coloured(measured, shots):
    page = measured
    tiles = page.inner_text("#measure-tiles")
    assert "mean error of 12 new contacts whose truth is known" in tiles
    assert re.search(r"[0-9.]+ mm", tiles)
    assert "90 % are promised" in tiles
    expect(page.locator("#chart canvas")).to_have_attribute("aria-label", re.compile("12 new, 15 labelled"))
    expect(page.locator("#value-map canvas")).to_have_attribute(
        "aria-label", re.compile("12 new, 15 labelled")
    )
    expect(page.locator("#value-legend")).to_contain_text("mm")
    assert page.locator("#values button").count() == 27
    assert page.locator("#values .interval .truth").count() == 27
    page.screenshot(path=shots / "quantities.png", full_page=True)
    page.select_option("#target", "1")
    expect(page.locator("#value-legend")).to_contain_text("deg")
    page.select_option("#coverage", "0.8")
    expect(page.locator("#measure-tiles")).to_contain_text("80 % are promised")
    page.select_option("#value-filter", "new")
    expect(page.locator("#values button")).to_have_count(12)
    page.locator("#values button").first.click()
    page.wait_for_selector("#measured[open]")
    expect(page.locator("#measured")).to_contain_text("80 % interval")
    first = page.inner_text("#measured-title")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#measured-title")).not_to_have_text(first)
    page.keyboard.press("Escape")


def test_values_are_exported_and_the_table_is_taken_back(measured):
    page = measured
    page.click("#tab-export")
    page.wait_for_selector("text=Download quantities.csv")
    page.wait_for_selector("text=Download quantities.bideta")
    assert "--targets" in page.inner_text("pre")
    page.click("#tab-contacts")
    adapt(page)
    expect(page.locator("#quantities")).to_be_visible()
    page.click("#tab-contacts")
    page.click("#undo")
    page.wait_for_selector("text=Taken back: targets.csv given.")
    page.click("#tab-results")
    page.wait_for_selector("#gallery button")
    expect(page.locator("#quantities")).to_be_hidden()
