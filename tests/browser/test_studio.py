"""The studio in a real browser: the whole way of somebody who has just mounted a sensor."""

from __future__ import annotations

import csv
import re

import pytest

from bideta import Bideta
from support.studio_page import PATIENCE, adapt, drop, filled, new_session
from support.studio_server import COLOURS, Server, folders, picture

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright").expect
pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker
HOSTILE = "<img src=x onerror=document.title='owned'>.png"


def test_from_folders_to_an_exported_sensor(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    page.screenshot(path=shots / "contacts.png", full_page=True)
    # A preset brings its own prior.
    page.click(".settings summary")
    assert page.input_value("#prior") == "relaxed"
    for preset, prior in (("ranking", "support"), ("robot", "auto")):
        page.select_option("#preset", preset)
        assert page.input_value("#prior") == prior
    page.screenshot(path=shots / "settings.png", full_page=True)
    adapt(page)
    # Answers are ordered by reliability.
    sure = [int(text.rstrip(" %")) for text in page.locator("#gallery .sure").all_inner_texts()]
    assert len(sure) == 12
    assert sure == sorted(sure)
    page.select_option("#order", "sure")
    assert [int(text.rstrip(" %")) for text in page.locator("#gallery .sure").all_inner_texts()] == sorted(
        sure, reverse=True
    )
    # Folder names that are known objects were taken as the truth, so accuracy and confusion are there.
    assert "right answers" in page.inner_text("#tiles")
    assert page.locator(".matrix").count() == 2
    assert "12 new, 15 labelled" in page.get_attribute("#map canvas", "aria-label")
    assert page.locator("#gains path[class^=line]").count() == 2
    assert "SimpleShot" in page.inner_text("#compare")
    page.screenshot(path=shots / "results.png", full_page=True)
    # One contact: neighbours in both readouts, anchor, gate, final distribution.
    page.locator("#gallery button").first.click()
    page.wait_for_selector("#detail[open]")
    text = page.inner_text("#detail")
    for words in (
        "Neighbours in readout 1",
        "Neighbours in readout 2",
        "ANCHOR",
        "FINAL",
        "Gate",
        "Nearest labelled",
    ):
        assert words.lower() in text.lower()
    assert page.locator("#detail .hood button").count() == 18  # six new and three labelled in each
    page.screenshot(path=shots / "detail.png")
    first = page.inner_text("#detail-title")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#detail-title")).not_to_have_text(first)
    page.keyboard.press("Escape")
    page.wait_for_selector("#detail:not([open])", state="attached")
    # Take it home.
    page.click("#tab-export")
    page.wait_for_selector("text=Download sensor.bideta")
    assert "bideta adapt contacts/labelled" in page.inner_text("pre")
    assert "--preset robot --prior auto" in page.inner_text("pre")
    page.screenshot(path=shots / "export.png", full_page=True)
    for name in ("sensor.bideta", "predictions.csv", "contacts.zip"):
        with page.expect_download() as download:
            page.click(f"text=Download {name}")
        assert download.value.suggested_filename == name
        download.value.save_as(tmp_path / name)
    assert [str(c) for c in Bideta.load(tmp_path / "sensor.bideta").classes_] == sorted(COLOURS)
    with (tmp_path / "predictions.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 12


def test_a_label_given_in_place_adapts_again_at_once(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    page.locator("#next input").first.fill("washer")
    page.keyboard.press("Enter")
    page.click("#new-object [value=new]")
    page.wait_for_selector("text=Labelled as washer; adapted again.")
    assert "16\nlabels, 4 objects" in page.inner_text("#tiles")
    assert page.locator("#gallery button").count() == 11
    assert page.evaluate("document.activeElement.closest('#next') !== null"), (
        "the next suggestion has the focus"
    )
    page.locator("#gallery button").first.click()
    page.fill("#detail-label", "bolt")
    page.click("text=Label and adapt")
    page.wait_for_selector("text=Labelled as bolt; adapted again.")
    assert page.locator("#gallery button").count() == 10


def test_folders_of_presses_belong_to_the_object_around_them(page, server, tmp_path, shots):
    for name in COLOURS:
        for i in range(6):
            folder = tmp_path / "labelled" / name / f"press {i // 3}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{i}.png").write_bytes(picture(name, i))
    new_session(page, server)
    drop(page, "#zone-labelled", [tmp_path / "labelled"])
    page.wait_for_selector("text=18 contacts of 6 presses, 3 objects")
    assert sorted(page.locator(".class h3 span[title]").all_inner_texts()) == sorted(COLOURS)
    drop(page, "#zone-unlabelled", [folders(tmp_path / "new", 2, 50)])
    page.wait_for_selector("text=6 contacts; select some")
    page.screenshot(path=shots / "presses.png", full_page=True)
    adapt(page)
    page.click("#tab-export")
    with page.expect_download() as sensor:
        page.click("text=Download sensor.bideta")
    sensor.value.save_as(tmp_path / "sensor.bideta")
    assert len(set(Bideta.load(tmp_path / "sensor.bideta").sensor_.presses)) == 6
    # A folder of a press alone says nothing of its object.
    page.click("#tab-contacts")
    drop(page, "#zone-labelled", [tmp_path / "labelled" / "key" / "press 1"])
    page.wait_for_selector("text=Which object do these 3 files show?")


def test_loose_files_ask_for_their_object_and_new_ones_are_labelled_on_the_page(page, server, tmp_path):
    new_session(page, server)
    for i in range(3):
        (tmp_path / f"touch{i}.png").write_bytes(picture("bolt", i))
    page.set_input_files("#zone-labelled [data-pick=files]", [tmp_path / f"touch{i}.png" for i in range(2)])
    page.wait_for_selector("text=Which object do these 2 files show?")
    page.keyboard.type("bolt")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=2 contacts, 1 object")
    assert "One object only" in page.inner_text("#adapt-hint")
    page.set_input_files("#zone-unlabelled [data-pick=files]", [tmp_path / "touch2.png"])
    page.click("#unlabelled-list .tick")
    page.fill("#bulk-label", "key")
    page.keyboard.press("Enter")
    page.click("#new-object [value=new]")
    page.wait_for_selector("text=3 contacts, 2 objects")


def test_file_names_and_labels_are_shown_as_text_only(page, server, tmp_path, shots):
    root = tmp_path / "labelled"
    for label in ("<b>bold<", "x & y"):
        (root / label).mkdir(parents=True)
        for i in range(3):
            (root / label / f"{i}{HOSTILE[:-4].replace('/', '')}.png").write_bytes(
                picture("bolt" if label[0] == "x" else "key", i)
            )
    for i in range(4):
        (tmp_path / f"{i}{HOSTILE}").write_bytes(picture("bolt", 20 + i))
    (tmp_path / "<script>alert(1)<").mkdir()
    (tmp_path / "notes<i>.txt").write_text("hello")
    (tmp_path / "<u>broken.png").write_bytes(b"no image")
    new_session(page, server, "<h1>title<")
    drop(page, "#zone-labelled", [root])
    page.wait_for_selector("text=6 contacts, 2 objects")
    drop(page, "#zone-unlabelled", [*tmp_path.glob("*.png"), tmp_path / "notes<i>.txt"])
    page.wait_for_selector("text=2 files not added")
    assert "cannot read <u>broken.png: not a PNG" in page.inner_text("#problems")
    assert "cannot read notes<i>.txt" in page.inner_text("#problems")
    adapt(page)
    page.locator("#gallery button").first.click()
    page.wait_for_selector("#detail[open]")
    assert HOSTILE in page.inner_text("#detail-title")
    page.screenshot(path=shots / "hostile.png")
    assert page.locator("h1 >> text=title").count() == 0
    assert page.locator("#main b >> text=bold").count() == 0
    assert "owned" not in page.title()
    assert "<h1>title<" in page.inner_text("#title")


def test_a_server_killed_in_the_middle_is_waited_for_and_nothing_is_lost(page, server, tmp_path, shots):
    new_session(page, server)
    drop(page, "#zone-labelled", [folders(tmp_path / "labelled", 5, 0)])
    page.wait_for_selector("text=15 contacts, 3 objects")
    server.kill()
    drop(page, "#zone-unlabelled", [folders(tmp_path / "new", 4, 50)])
    page.wait_for_selector("#offline:not([hidden])")
    page.screenshot(path=shots / "offline.png")
    server.start()
    page.wait_for_selector("text=12 contacts; select some")
    assert page.locator("#offline").is_hidden()
    adapt(page)
    address = page.url
    server.kill()
    server.start()
    page.goto(address)
    page.reload()
    page.wait_for_selector("#results-body:not([hidden])")
    assert page.locator("#gallery button").count() == 12
    # Refused, empty, cut short: whatever was under way. A wrong status or an error of the page would read otherwise.
    refused = [text for text in page.complaints if text.startswith("Failed to load resource: net::ERR_")]
    assert refused, "the browser itself notes that the server was away"
    assert page.complaints == refused
    page.complaints.clear()


def test_the_example_opens_with_one_click_and_shows_the_source_head(page, server, shots):
    page.goto(server.address)
    page.click("text=Open the example")
    page.wait_for_selector("#example-progress:not([hidden])")
    page.wait_for_selector("#results-body:not([hidden])")
    assert "Source head" in page.inner_text("#compare")
    accuracy = {
        name: float(page.locator("#compare .bars").inner_text().split(f"{name}\n")[1].split(" %")[0])
        for name in ("Source head", "BIDETA")
    }
    assert accuracy["BIDETA"] > accuracy["Source head"] + 20  # simulated
    assert page.input_value("#before") == "frozen"
    address = page.url
    for width in (375, 1440):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            for step in ("contacts", "results", "export"):
                page.goto(re.sub("/[a-z]+$", f"/{step}", address))
                page.wait_for_selector(f"#{step}:not([hidden])")
                page.wait_for_selector(f"#{step}:not([aria-busy=true])")
                page.wait_for_load_state("networkidle")
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                page.screenshot(path=shots / f"example-{step}-{width}-{scheme}.png")


def test_everything_is_reached_by_the_keyboard(page, server, tmp_path):
    filled(page, server, tmp_path)
    page.focus("#adapt")
    page.keyboard.press("Enter")
    page.wait_for_selector("#results-body:not([hidden])")
    page.focus("#tab-results")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=Download sensor.bideta")
    slow = []
    page.route("**/results", lambda route: slow.append(route))
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#results[aria-busy=true]")
    card = page.locator("#gallery button").first
    card.focus()
    while not slow:
        page.wait_for_timeout(10)
    slow.pop().continue_()
    page.wait_for_selector("#results[aria-busy=false]")
    expect(card, "drawn anew, the card keeps the focus").to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail[open]")
    assert page.evaluate("document.querySelector('#detail').contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(card, "the focus returns to the card").to_be_focused()
    unnamed = page.evaluate(
        """[...document.querySelectorAll('button, input:not([type=file]), select')].filter((e) => e.offsetParent &&
        !(e.innerText || e.getAttribute('aria-label') || e.labels?.length || e.title)).map((e) => e.outerHTML)"""
    )
    assert not unnamed


def test_with_a_token_the_page_asks_for_it(page, chromium, tmp_path):
    locked = Server(tmp_path / "home", BIDETA_TOKEN="s3cret word")
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE)
    try:
        guest = context.new_page()
        guest.goto(locked.address)
        guest.fill("#token", "s3cret word")
        guest.keyboard.press("Enter")
        guest.wait_for_selector("#start:not([hidden])")
        guest.context.clear_cookies()
        guest.goto(f"{locked.address}/#token=s3cret%20word")
        guest.reload()
        guest.wait_for_selector("#start:not([hidden])")
        assert "s3cret" not in guest.url
    finally:
        context.close()
        locked.stop()
