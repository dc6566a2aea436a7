"""Labels by keyboard: from an empty page to thirty, what each one brought, and nothing that jumps."""

from __future__ import annotations

import re
import time

import pytest

from support.studio_page import adapt, filled, new_session
from support.studio_server import COLOURS, picture

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright").expect
pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker
HELD_OUT = re.compile(r"[0-9.]+ → [0-9.]+ %\s*\(held-out\)")


def asked(page):
    """Id and name of the contact that is asked about."""
    desk = page.locator("#next .ask-desk")
    return desk.get_attribute("data-id"), desk.locator(".name").inner_text()


class Keyboard:
    """A keyboard that counts."""

    def __init__(self, page):
        self.page, self.presses = page, 0

    def press(self, key):
        self.presses += 1
        self.page.keyboard.press(key)

    def tab_to(self, selector, most=60):
        for _ in range(most):
            if self.page.evaluate("s => document.activeElement.matches(s)", selector):
                return
            self.press("Tab")
        raise AssertionError(f"{selector} is not reached by {most} tabs")


def test_thirty_labels_on_three_hundred_contacts_by_keyboard_alone(
    page, server, tmp_path, shots, record_property
):
    root = tmp_path / "touches"
    root.mkdir()
    for i in range(300):
        name = list(COLOURS)[i % 3]
        (root / f"{i:03d} {name}.png").write_bytes(picture(name, 1000 + i))
    began = time.perf_counter()
    keys = Keyboard(page)
    # Asked for long before the key is pressed: the browser must know by then that somebody answers its dialog.
    page.on("filechooser", lambda chooser: chooser.set_files(root))
    page.goto(server.address)
    page.wait_for_selector("#start:not([hidden])")
    keys.tab_to("#new-title")
    for letter in "gel":
        keys.press(letter)
    keys.press("Enter")
    page.wait_for_url(re.compile("#[0-9a-f]{32}"))
    expect(page.locator("#zone-unlabelled")).to_be_visible()
    keys.tab_to("#zone-unlabelled [data-pick=folder]")
    keys.press("Enter")
    page.wait_for_selector("text=300 contacts; select some")
    expect(page.locator("#cold button")).to_be_focused()
    keys.press("Enter")
    page.wait_for_selector("text=Label these ten first")
    way = keys.presses
    ready = time.perf_counter()
    named, costs = set(), []
    for _ in range(30):
        page.wait_for_selector("#next .ask-desk")
        contact, name = asked(page)
        label = re.search("[a-z]+", name.rpartition("/")[2]).group()
        before = keys.presses
        if label in named:
            offered = page.locator("#next .guess button").evaluate_all("all => all.map(b => b.dataset.label)")
            keys.press(str(offered.index(label) + 1))
        else:
            for letter in label:
                keys.press(letter)
            keys.press("Enter")
            if named:  # "New object?" has the focus on yes
                expect(page.locator("#new-object")).to_be_visible()
                keys.press("Enter")
            named.add(label)
        costs.append(keys.presses - before)
        page.wait_for_function(
            "id => document.querySelector('#next .ask-desk')?.dataset.id !== id", arg=contact
        )
    expect(page.locator("#tiles")).to_contain_text("30labels, 3 objects")
    done = time.perf_counter()
    page.screenshot(path=shots / "thirty-labels.png")
    facts = {
        "presses until the first question": way,
        "presses for thirty labels": sum(costs),
        "seconds until the first question": round(ready - began, 1),
        "seconds for thirty labels": round(done - ready, 1),
    }
    for name, value in facts.items():
        record_property(name, value)
    print(facts)
    assert way <= 40
    assert sorted(costs)[:27] == [1] * 27, "an object that has a name costs one key"
    assert sum(costs) <= 2 * 30, "at most two for each label, names included"
    session = page.url.split("#")[1].split("/")[0]
    contacts = page.request.get(f"{server.address}/v1/sessions/{session}").json()["contacts"]
    given = [row for row in contacts if row["label"]]
    assert len(given) == 30
    assert all(row["label"] in row["name"] for row in given), "no label went to another contact"
    # Nothing is known of these contacts, so the labels are hidden in turn.
    expect(page.locator("#learned")).to_contain_text("(hidden in turn)")
    # ctrl-Z takes the last one back and asks about it again.
    page.keyboard.press("Control+z")
    expect(page.locator("#tiles")).to_contain_text("29labels, 3 objects")
    expect(page.locator("#next .ask-desk")).to_have_attribute("data-id", contact)


def test_each_label_says_what_it_brought_and_the_toast_pushes_nothing(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    adapt(page)
    expect(page.locator("#learned")).to_contain_text("(held-out)")
    page.click("#tab-results")  # the focus is there, and the page still listens
    top = page.locator("#gallery").bounding_box()["y"]
    before = len(page.locator("#gallery button").all())
    contact, _ = asked(page)
    page.keyboard.press("1")
    page.wait_for_selector("#notice:not([hidden]) >> text=adapted again.")
    expect(page.locator("#notice")).to_contain_text(HELD_OUT)
    expect(page.locator("#learned")).to_contain_text(HELD_OUT)
    expect(page.locator("#gallery button")).to_have_count(before - 1)
    assert page.locator("#learned svg.curve path.line1").count() == 1
    settled = page.locator("#gallery").bounding_box()["y"]
    page.click("#notice button")
    expect(page.locator("#notice")).to_be_hidden()
    assert page.locator("#gallery").bounding_box()["y"] == settled
    assert abs(settled - top) < 120  # the curve itself appeared
    page.screenshot(path=shots / "gained.png")
    # Enter takes the first guess, → skips, and what is skipped is not asked again at once.
    second, _ = asked(page)
    assert second != contact
    page.keyboard.press("ArrowRight")
    third, _ = asked(page)
    assert third != second
    page.keyboard.press("Enter")
    expect(page.locator("#tiles")).to_contain_text("17labels")
    fourth, _ = asked(page)
    assert fourth not in (contact, second, third)


def test_a_contact_in_detail_is_labelled_by_its_number_and_enter_goes_on(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    page.locator("#gallery button").first.click()
    page.wait_for_selector("#detail[open]")
    first = page.inner_text("#detail-title")
    page.evaluate("document.activeElement.blur(); document.querySelector('#detail').focus()")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#detail-title")).not_to_have_text(first)
    assert page.locator("#detail .guess button").count() == 3
    page.locator("#detail .pic").click()
    page.wait_for_selector("#enlarged[open] img")
    page.keyboard.press("Escape")
    page.locator("#detail .guess button").first.focus()
    page.keyboard.press("2")
    page.wait_for_selector("#notice >> text=adapted again.")
    expect(page.locator("#tiles")).to_contain_text("16labels")


def test_names_of_objects_may_be_begun(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    page.locator("#next .guess button").first.focus()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=New object “k”? (did you mean key)")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Labelled as key; adapted again.")


def test_a_session_without_any_label_is_not_a_dead_end(page, server, tmp_path):
    new_session(page, server)
    page.click("#tab-results")
    page.wait_for_selector("text=Nothing to show yet")
    page.click("#tab-contacts")
    for i, name in enumerate(COLOURS):
        (tmp_path / f"{i}.png").write_bytes(picture(name, i))
    page.set_input_files("#zone-unlabelled [data-pick=files]", sorted(tmp_path.glob("*.png")))
    page.wait_for_selector("text=3 new contacts and no name")
    page.click("#tab-results")
    expect(page.locator("#next-title")).to_have_text("Label these 3 first")
    page.fill("#next input", "bolt")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Labelled as bolt; adapted again.")
    page.click("#undo")
    expect(page.locator("#next-title")).to_have_text("Label these 3 first")
