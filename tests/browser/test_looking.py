"""Looking at touch: other looks of all pictures, answers beside the truth, words explained, small screens."""

from __future__ import annotations

import json
import re

import pytest

from support.studio_page import adapt, drop, filled, new_session
from support.studio_server import folders, picture

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright").expect
pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker


def sources(page, where):
    return page.locator(f"{where} img").evaluate_all("all => all.map(i => i.src)")


def test_a_switch_changes_the_look_of_every_picture_and_is_remembered(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    adapt(page)
    for look in ("difference", "contrast"):
        page.click(f"[data-look={look}]")
        for where in ("#gallery", "#next", "#labelled-list"):
            assert sources(page, where)
            assert all(f"look={look}" in address for address in sources(page, where))
        page.wait_for_function(
            "() => [...document.querySelectorAll('#gallery img')].every((i) => i.complete && i.naturalWidth > 0)"
        )
        page.screenshot(path=shots / f"look-{look}.png")
    page.reload()
    page.wait_for_selector("#gallery img")
    assert all("look=contrast" in address for address in sources(page, "#gallery"))
    expect(page.locator("[data-look=contrast]")).to_have_attribute("aria-pressed", "true")
    page.click("[data-look=difference]")
    expect(page.locator("#looks-note")).to_contain_text("median of all contacts")
    page.click("[data-look=picture]")


def test_wrong_answers_stand_beside_the_truth_and_neighbours_say_what_they_are(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    wrong = tmp_path / "more" / "key"
    wrong.mkdir(parents=True)
    (wrong / "odd.png").write_bytes(picture("bolt", 300))  # a bolt that its folder calls a key
    drop(page, "#zone-unlabelled", [tmp_path / "more"])
    page.wait_for_selector("text=13 contacts; select some")
    adapt(page)
    expect(page.locator("#gallery [title='bolt → key']")).to_have_text("bolt → key")
    page.locator("#gallery button", has_text="→ key").click()
    page.wait_for_selector("#detail[open]")
    badges = page.locator("#detail .hood .badge").all_inner_texts()
    assert badges.count("new") == 12
    assert badges.count("labelled") == 6
    assert page.locator("#detail .hood .right").count() == 12
    page.locator("#detail .hood button", has_text="labelled").first.click()
    page.wait_for_selector("#enlarged[open] img")
    page.keyboard.press("Escape")
    for name in ("Gate", "Anchor", "Ambiguity", "Readout 1"):
        summary = page.locator("#detail .word summary", has_text=re.compile(f"^{name}$"))
        line = summary.locator("xpath=..").locator("p")
        expect(line).to_be_hidden()
        summary.click()
        expect(line).to_be_visible()
        word = "readout" if name.startswith("Readout") else name.lower()
        assert line.locator("a").get_attribute("href") == f"/docs#{word}"
    page.screenshot(path=shots / "words.png")


def test_on_a_small_screen_the_comparison_comes_before_the_pictures(page, server, tmp_path, shots):
    page.set_viewport_size({"width": 375, "height": 800})
    filled(page, server, tmp_path, queries=25)
    adapt(page)
    expect(page.locator("#gallery [data-place]").first).to_have_attribute("aria-setsize", "75")
    top = {name: page.locator(name).bounding_box()["y"] for name in ("#compare", "#gallery", "#map")}
    assert top["#compare"] < top["#gallery"] < top["#map"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.screenshot(path=shots / "small-results.png", full_page=True)
    page.locator("#gallery button").first.click()
    page.wait_for_selector("#detail[open]")
    page.screenshot(path=shots / "small-detail.png")


def test_uploads_say_in_words_how_far_they_are(page, server, tmp_path):
    filled(page, server, tmp_path)
    said = page.evaluate_handle(
        """() => {
          const all = [], text = document.querySelector("#upload-text");
          new MutationObserver(() => all.push(text.textContent)).observe(text, { childList: true });
          return all;
        }"""
    )
    drop(page, "#zone-unlabelled", [folders(tmp_path / "again", 10, 400)])
    page.wait_for_selector("text=42 contacts; select some")
    texts = said.json_value()
    assert texts[0].startswith("0 of 30 files read and encoded")
    assert texts[-1].startswith("30 of 30 files read and encoded")


def test_long_names_and_other_scripts_stay_on_the_page(page, server, tmp_path, shots):
    page.set_viewport_size({"width": 375, "height": 800})
    long, right_to_left = "a_name_without_any_break_" * 3, "مفتاح سداسي"
    for name in ("labelled", "new"):
        folders(tmp_path / name, 3, 0 if name == "labelled" else 50)
        (tmp_path / name / "bolt").rename(tmp_path / name / long)
        (tmp_path / name / "key").rename(tmp_path / name / right_to_left)
    new_session(page, server)
    drop(page, "#zone-labelled", [tmp_path / "labelled"])
    page.wait_for_selector("text=9 contacts, 3 objects")
    drop(page, "#zone-unlabelled", [tmp_path / "new"])
    page.wait_for_selector("text=9 contacts; select some")
    for width in (375, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        page.click("#tab-contacts")
        expect(page.locator("#labelled-list")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        adapt(page)
        page.wait_for_selector("#gallery button")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.wait_for_selector("#map .tag")
        cut = "all => all.filter((tag) => tag.scrollWidth > tag.clientWidth).map((tag) => tag.textContent)"
        assert page.locator("#map .tag").evaluate_all(cut) == []
        page.screenshot(path=shots / f"long-names-{width}.png", full_page=True)
        page.locator("#gallery button").first.click()
        page.wait_for_selector("#detail[open]")
        assert page.evaluate("document.querySelector('#detail').scrollWidth") <= width
        page.keyboard.press("Escape")


def test_answers_with_the_same_lower_bound_are_ordered_by_their_reliability(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    page.wait_for_selector("#gallery button")
    base = f"{server.address}/v1/sessions/{page.url.split('#')[1].split('/')[0]}/results"
    results = page.request.get(base).json()
    for i, row in enumerate(results["rows"]):
        row.update(reliability_lower=0.5, reliability=0.5 + (5 * i % 12) / 25)
    page.route(base, lambda route: route.fulfill(body=json.dumps(results), content_type="application/json"))
    page.reload()
    page.wait_for_selector("#gallery button")
    shown = page.locator("#gallery [data-id]").evaluate_all("all => all.map(b => b.dataset.id)")
    rows = sorted(results["rows"], key=lambda row: row["reliability"])
    assert shown == [row["id"] for row in rows]
    page.select_option("#order", "sure")
    shown = page.locator("#gallery [data-id]").evaluate_all("all => all.map(b => b.dataset.id)")
    assert shown == [row["id"] for row in reversed(rows)]
