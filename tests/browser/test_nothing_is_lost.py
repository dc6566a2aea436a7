"""Nothing is lost by a click, and what is shown belongs to one state."""

from __future__ import annotations

import pytest

from support.studio_page import adapt, drop, filled, new_session
from support.studio_server import folders

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright").expect
pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker


def test_a_click_enlarges_and_every_edit_can_be_taken_back(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    page.locator("#labelled-list img").first.click()
    page.wait_for_selector("#enlarged[open] img")
    page.screenshot(path=shots / "enlarged.png")
    assert "15 contacts, 3 objects" in page.inner_text("#labelled-list")
    page.click("text=Take the label away")
    page.wait_for_selector("text=14 contacts, 3 objects")
    page.wait_for_selector("text=Undo: label of 1 contact taken away")
    page.keyboard.press("Control+z")
    page.wait_for_selector("text=15 contacts, 3 objects")
    page.locator("#unlabelled-list img").first.click()  # enlarges too
    page.wait_for_selector("#enlarged[open]")
    page.click("#enlarged >> text=Remove")
    page.wait_for_selector("text=11 contacts; select some")
    page.click("#undo")
    page.wait_for_selector("text=12 contacts; select some")
    page.click("#undo")  # the upload of the new ones
    expect(page.locator("#unlabelled-list img")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator("#labelled-list img")).to_have_count(0)
    expect(page.locator("#undo")).to_be_hidden()


def test_a_new_object_is_asked_about_and_guesses_are_one_click(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    adapt(page)
    page.locator("#next input").first.fill("boltt")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=New object “boltt”? (did you mean bolt)")
    page.screenshot(path=shots / "new-object.png")
    page.keyboard.press("Enter")  # what was meant has the focus
    page.wait_for_selector("text=Labelled as bolt; adapted again.")
    assert "16\nlabels, 3 objects" in page.inner_text("#tiles")
    page.locator("#next input").first.fill("washer")
    page.keyboard.press("Enter")
    page.click("#new-object >> text=Cancel")
    assert "16\nlabels, 3 objects" in page.inner_text("#tiles")
    page.locator("#next .guess button").first.click()
    expect(page.locator("#tiles")).to_contain_text("17")
    page.click("#undo")
    expect(page.locator("#tiles")).to_contain_text("16")


def test_results_follow_an_edit_without_a_press_of_adapt(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    page.click("#tab-contacts")
    page.locator("#labelled-list img").first.click()
    page.click("text=Take the label away")
    page.wait_for_selector("text=14 contacts, 3 objects")
    page.click("#tab-results")
    expect(page.locator("#tiles")).to_contain_text("14")
    expect(page.locator("#gallery button")).to_have_count(13)


def test_the_parent_of_support_and_queries_is_refused_and_copies_are_skipped(page, server, tmp_path):
    folders(tmp_path / "try" / "support", 3, 0)
    folders(tmp_path / "try" / "queries", 3, 50)
    new_session(page, server)
    drop(page, "#zone-labelled", [tmp_path / "try"])
    page.wait_for_selector(
        "text=nothing was added: the folders of objects lie in try/queries and try/support"
    )
    assert page.locator("#labelled-list img").count() == 0
    drop(page, "#zone-labelled", [tmp_path / "try" / "support"])
    page.wait_for_selector("text=9 contacts, 3 objects")
    drop(page, "#zone-labelled", [tmp_path / "try" / "support"])
    page.wait_for_selector("text=9 files not added")
    assert "is here already, as support/" in page.inner_text("#problems")
    page.wait_for_selector("text=9 contacts, 3 objects")
