"""Nothing is lost by a click, and what is shown belongs to one state."""

from __future__ import annotations

import pytest

from support.studio_page import adapt, drop, filled, new_session
from support.studio_server import COLOURS, folders, picture

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
    assert "support/bolt/0.png is here already; skipped" in page.inner_text("#problems")
    page.wait_for_selector("text=9 contacts, 3 objects")


def test_back_leaves_no_picture_of_another_page_open(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    page.locator("#next .pic").first.click()
    page.wait_for_selector("#enlarged[open] img")
    page.go_back()
    expect(page.locator("#contacts")).to_be_visible()
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_what_another_tab_did_is_seen_when_this_one_is_looked_at(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    address = page.url.split("#")[1].split("/")[0]
    contacts = f"{server.address}/v1/sessions/{address}/contacts"
    desk = page.locator("#next .ask-desk")
    asked = desk.get_attribute("data-id")
    page.request.patch(f"{contacts}/{asked}", data={"label": "bolt"})
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(page.locator("#tiles")).to_contain_text("16labels")
    expect(desk).not_to_have_attribute("data-id", asked)
    # A contact that went away meanwhile is said to be gone, and the next one is asked about.
    gone = desk.get_attribute("data-id")
    page.request.delete(f"{contacts}/{gone}")
    page.locator("#next .guess button").first.click()
    expect(page.locator("#notice")).to_contain_text("there is no such contact in this session")
    expect(page.locator("#tiles")).to_contain_text("10new contacts")
    expect(desk).not_to_have_attribute("data-id", gone)
    expect(page.locator("#next .guess button").first).to_be_focused()
    # A session that went away is said to be gone.
    page.request.delete(f"{server.address}/v1/sessions/{address}")
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(page.locator("#unknown")).to_contain_text(f"There is no session {address} here.")
    page.complaints.clear()  # the browser notes each 404


def test_labels_on_their_way_are_kept_whatever_page_is_opened(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    held = []
    page.route("**/v1/learn", lambda route: held.append(route))  # a sensor that adapts slowly
    desk = page.locator("#next .ask-desk")
    leaving = "() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert not page.evaluate(leaving)
    for _ in range(4):
        asked = desk.get_attribute("data-id")
        page.keyboard.press("1")
        expect(desk).not_to_have_attribute("data-id", asked)
    assert page.evaluate(leaving), "the browser asks before it throws labels away"
    page.click("#home")
    page.wait_for_selector("#start:not([hidden])")
    held.pop().continue_()
    while not held:  # the one behind which no other waits adapts to all
        page.wait_for_timeout(10)
    held.pop().continue_()
    page.wait_for_timeout(300)
    assert not held, "labels that others follow are kept without adapting"
    page.unroute("**/v1/learn")
    page.click("#recent-list .open >> nth=0")
    expect(page.locator("#tiles")).to_contain_text("19labels, 3 objects")
    assert not page.evaluate(leaving)
    page.click("#tab-contacts")
    expect(page.locator("#labelled-list")).to_contain_text("19 contacts, 3 objects")


def test_pictures_given_while_the_page_still_reads_the_session_are_taken(page, server, tmp_path):
    new_session(page, server)
    page.click("#tab-results")
    page.wait_for_selector("text=Nothing to show yet")
    held = []
    address = f"{server.address}/v1/sessions/{page.url.split('#')[1].split('/')[0]}"
    empty = page.request.get(address).text()
    page.route(address, lambda route: held.append(route))  # a server that is slow to tell what it holds
    page.click("#tab-contacts")
    while not held:
        page.wait_for_timeout(10)
    for i, name in enumerate(COLOURS):
        (tmp_path / f"{i}.png").write_bytes(picture(name, i))
    page.set_input_files("#zone-unlabelled [data-pick=files]", sorted(tmp_path.glob("*.png")))
    while len(held) < 2:  # they are there, and the page reads the session once more
        page.wait_for_timeout(10)
    earlier, later = held
    later.continue_()
    expect(page.locator("#unlabelled-list")).to_contain_text("3 contacts")
    earlier.fulfill(body=empty, content_type="application/json")  # known before, heard after
    expect(page.locator("#contacts")).to_be_visible()
    expect(page.locator("#unlabelled-list")).to_contain_text("3 contacts")
