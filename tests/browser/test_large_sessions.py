"""Five thousand contacts: the whole list opens, and only what is in sight is in the document."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from PIL import Image

from support.studio_page import adapt, filled
from support.studio_server import COLOURS

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright").expect
pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker
MANY = 5000
IN_SIGHT = 250  # cards of a list that may be in the document, whatever its length


def rows(page, server, many):
    """The answers of a small session, made many: the page is what is tried, not the server."""
    session = page.url.split("#")[1].split("/")[0]
    base = f"{server.address}/v1/sessions/{session}"
    view, results = page.request.get(base).json(), page.request.get(f"{base}/results").json()
    fresh = [contact for contact in view["contacts"] if contact["label"] is None]
    some = list(results["rows"])
    view["contacts"] += [{**fresh[i % len(fresh)], "id": f"m{i}", "name": f"{i}.png"} for i in range(many)]
    rng = np.random.default_rng(0)
    places = rng.uniform(-1, 1, (many, 2)).round(4).tolist()
    results["rows"] += [
        {**some[i % len(some)], "id": f"m{i}", "name": f"{i}.png", "place": place}
        for i, place in enumerate(places)
    ]
    for method in results["methods"]:
        method["answers"] += [method["answers"][i % len(some)] for i in range(many)]
    return base, view, results


def dot():
    out = io.BytesIO()
    Image.new("RGB", (8, 8), COLOURS["bolt"]).save(out, "PNG")
    return out.getvalue()


def test_five_thousand_contacts_stay_few_in_the_document(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    adapt(page)
    page.wait_for_selector("#gallery button")
    base, view, results = rows(page, server, MANY)
    small = dot()
    page.route(base, lambda route: route.fulfill(body=json.dumps(view), content_type="application/json"))
    page.route(
        f"{base}/results",
        lambda route: route.fulfill(body=json.dumps(results), content_type="application/json"),
    )
    page.route("**/contacts/m*/image*", lambda route: route.fulfill(body=small, content_type="image/png"))
    page.reload()
    gallery = page.locator("#gallery")
    expect(gallery.locator("[data-place]").first).to_have_attribute("aria-setsize", str(MANY + 12))
    expect(page.locator("#map canvas")).to_have_attribute(
        "aria-label",
        f"Map of new and labelled contacts in the spectral geometry: {MANY + 12} new, 15 labelled",
    )
    nodes = "() => document.querySelectorAll('*').length"
    cards = "() => document.querySelectorAll('#gallery [data-place]').length"
    # The box is full: the last card in the document lies below its lower edge.
    full = """() => {
      const list = document.querySelector("#gallery"), box = list.getBoundingClientRect();
      return [...list.querySelectorAll("[data-place]")].at(-1).getBoundingClientRect().bottom >= box.bottom - 8;
    }"""
    assert page.evaluate(full)
    least, most = page.evaluate(nodes), 0
    for step in range(20):
        page.evaluate(
            "share => { const l = document.querySelector('#gallery'); l.scrollTop = share * l.scrollHeight; }",
            step / 19,
        )
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert 0 < page.evaluate(cards) <= IN_SIGHT
        assert page.evaluate(full)
        most = max(most, page.evaluate(nodes))
    assert most < least + 5 * IN_SIGHT, "elements do not pile up"
    # By keyboard to the last one and back; another width keeps the place.
    gallery.locator("button").first.focus()
    page.keyboard.press("End")
    page.wait_for_function(
        f"() => document.activeElement.closest('[data-place]')?.dataset.place === '{MANY + 11}'"
    )
    page.set_viewport_size({"width": 900, "height": 800})
    page.wait_for_timeout(300)
    assert page.evaluate("() => document.querySelector('#gallery').scrollTop") > 1000
    page.set_viewport_size({"width": 1440, "height": 900})
    page.screenshot(path=shots / "five-thousand.png")
    page.click("#tab-contacts")
    page.wait_for_selector(f"text={MANY + 12:,} contacts; select some")
    assert page.evaluate("() => document.querySelectorAll('#unlabelled-list img').length") <= 2 * IN_SIGHT
    heap = page.context.new_cdp_session(page).send("Runtime.getHeapUsage")["usedSize"]
    print(f"{most} elements, {heap / 1e6:.0f} MB of script memory with {MANY} contacts")
    assert heap < 150e6


def test_another_sessions_answers_are_not_shown_while_these_are_made(page, server, tmp_path):
    filled(page, server, tmp_path / "one")
    adapt(page)
    page.wait_for_selector("#gallery button")
    first = page.url
    filled(page, server, tmp_path / "two", queries=2)
    adapt(page)
    expect(page.locator("#gallery button")).to_have_count(6)
    held = []
    page.route("**/results", lambda route: held.append(route))
    page.evaluate("address => { location.href = address; }", first)
    while not held:
        page.wait_for_timeout(10)
    expect(page.locator("#gallery")).to_be_hidden()
    expect(page.locator("#results-empty")).to_contain_text("Answering 12 new contacts with 15 labels")
    held.pop().continue_()
    expect(page.locator("#gallery button")).to_have_count(12)
