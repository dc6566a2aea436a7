"""The map and the confusion: zoom, thumbnails, lasso, keyboard, colours that stay, a click that filters."""

from __future__ import annotations

import pytest

from support.studio_page import adapt, drop, filled
from support.studio_server import picture

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright").expect
pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker
MARGIN = 16  # px around the points, as in scatter.js


def told(page, server):
    session = page.url.split("#")[1].split("/")[0]
    return page.request.get(f"{server.address}/v1/sessions/{session}/results").json()


def where(page, row):
    """Where the map has a contact, in px of the window, while nothing is enlarged."""
    page.locator("#map canvas").scroll_into_view_if_needed()
    box = page.locator("#map canvas").bounding_box()
    inner = box["width"] - 2 * MARGIN
    x, y = row["place"]
    return box["x"] + MARGIN + (x + 1) / 2 * inner, box["y"] + MARGIN + (1 - y) / 2 * inner


def colour(page, row):
    """The colour of the map at a contact's place."""
    x, y = where(page, row)
    return page.evaluate(
        """([x, y]) => {
          const canvas = document.querySelector("#map canvas"), box = canvas.getBoundingClientRect();
          const scale = canvas.width / box.width, copy = new OffscreenCanvas(canvas.width, canvas.height);
          const pen = copy.getContext("2d", { willReadFrequently: true });
          pen.drawImage(canvas, 0, 0);
          return [...pen.getImageData((x - box.left) * scale, (y - box.top) * scale, 1, 1).data];
        }""",
        [x, y],
    )


def alone(rows, others):
    """A contact that no other lies near."""
    far = {
        row["id"]: min(
            (row["place"][0] - o["place"][0]) ** 2 + (row["place"][1] - o["place"][1]) ** 2
            for o in others
            if o["id"] != row["id"]
        )
        for row in rows
    }
    return max(rows, key=lambda row: far[row["id"]])


def test_a_contact_under_the_pointer_shows_its_picture_and_a_click_opens_it(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    adapt(page)
    results = told(page, server)
    row = alone(results["rows"], results["rows"] + results["support"])
    page.mouse.move(*where(page, row))
    expect(page.locator("#map .tip img")).to_be_visible()
    expect(page.locator("#map .tip b")).to_have_text(row["label"])
    page.screenshot(path=shots / "map-hover.png")
    page.mouse.click(*where(page, row))
    page.wait_for_selector("#detail[open]")
    expect(page.locator("#detail-title")).to_have_text(row["name"])


def test_the_map_is_enlarged_moved_and_shown_whole_again(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    look = "() => document.querySelector('#map canvas').toDataURL()"
    page.locator("#map canvas").scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    whole = page.evaluate(look)
    page.click("#map button[aria-label^='Zoom in']")
    page.wait_for_function(f"before => ({look})() !== before", arg=whole)
    near = page.evaluate(look)
    box = page.locator("#map canvas").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 60, middle[1] + 20, steps=4)
    page.mouse.up()
    page.wait_for_function(f"before => ({look})() !== before", arg=near)
    page.mouse.move(0, 0)
    page.click("#map button[aria-label^='The whole map']")
    page.mouse.move(0, 0)
    page.wait_for_function(f"before => ({look})() === before", arg=whole)
    page.mouse.move(*middle)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function(f"before => ({look})() !== before", arg=whole)


def test_what_the_lasso_catches_is_looked_at_labelled_at_once_and_taken_back(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    adapt(page)
    box = page.locator("#map canvas").bounding_box()
    corners = [(2, 2), (box["width"] - 2, 2), (box["width"] - 2, box["height"] - 2), (2, box["height"] - 2)]

    def around():
        page.locator("#map canvas").scroll_into_view_if_needed()
        here = page.locator("#map canvas").bounding_box()
        path = [(here["x"] + x, here["y"] + y) for x, y in corners]
        page.mouse.move(*path[0])
        page.mouse.down()
        for place in path[1:]:
            page.mouse.move(*place, steps=5)
        page.mouse.up()

    page.click("#map button >> text=Lasso")
    around()
    expect(page.locator("#map .caught")).to_contain_text("12 contacts chosen")
    page.screenshot(path=shots / "lasso.png")
    page.click("#map >> text=Look at them")
    expect(page.locator("#only")).to_contain_text("Only 12 contacts from the map")
    page.click("#only >> text=Show all")
    page.fill("#map .caught input", "bolt")
    page.click("#map >> text=Label all")
    page.wait_for_selector("text=The sensor is adapted. Add new contacts to see answers.")
    page.keyboard.press("Control+z")
    expect(page.locator("#tiles")).to_contain_text("15labels, 3 objects")


def test_the_map_is_reached_by_the_keyboard(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    page.locator("#highlight").focus()
    for _ in range(9):
        if page.evaluate("document.activeElement.matches('#map canvas')"):
            break
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('#map canvas')")
    seen = set()
    for key in ("ArrowRight", "ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
        expect(page.locator("#map .tip")).to_be_visible()
        seen.add(page.locator("#map .visually-hidden").inner_text())
    assert len(seen) >= 3, "arrows go from contact to contact, and say which"
    for key in ("ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown") * 6:
        if ", new," in page.locator("#map .visually-hidden").inner_text():
            break
        page.keyboard.press(key)
    page.keyboard.press(" ")
    expect(page.locator("#map .caught")).to_contain_text("1 contact chosen")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail[open]")
    page.keyboard.press("Escape")
    expect(page.locator("#map canvas"), "the focus comes back").to_be_focused()


def test_an_object_keeps_its_colour_when_another_is_added_and_names_do_not_overlap(page, server, tmp_path):
    filled(page, server, tmp_path)
    adapt(page)
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)

    def colours():
        results = told(page, server)
        return {
            label: colour(page, alone(mine, results["rows"] + results["support"]))
            for label in ("bolt", "key", "nut")
            if (mine := [row for row in results["support"] if row["label"] == label])
        }

    before = colours()
    assert len({tuple(value) for value in before.values()}) == 3
    (tmp_path / "more" / "anvil").mkdir(parents=True)
    for i in range(3):
        (tmp_path / "more" / "anvil" / f"{i}.png").write_bytes(picture("bolt", 700 + i))
    page.click("#tab-contacts")
    drop(page, "#zone-labelled", [tmp_path / "more" / "anvil"])
    page.wait_for_selector("text=18 contacts, 4 objects")
    page.click("#tab-results")
    expect(page.locator("#tiles")).to_contain_text("18labels, 4 objects")
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    assert colours() == before
    boxes = [tag.bounding_box() for tag in page.locator("#map .tag").all()]
    assert len(boxes) >= 3
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart_x = a["x"] + a["width"] <= b["x"] + 0.5 or b["x"] + b["width"] <= a["x"] + 0.5
            apart_y = a["y"] + a["height"] <= b["y"] + 0.5 or b["y"] + b["height"] <= a["y"] + 0.5
            assert apart_x or apart_y


def test_the_confusion_names_its_axes_and_a_click_filters_the_gallery(page, server, tmp_path, shots):
    filled(page, server, tmp_path)
    wrong = tmp_path / "more" / "key"
    wrong.mkdir(parents=True)
    (wrong / "odd.png").write_bytes(picture("bolt", 300))  # a bolt that its folder calls a key
    drop(page, "#zone-unlabelled", [tmp_path / "more"])
    page.wait_for_selector("text=13 contacts; select some")
    adapt(page)
    ours = page.locator(".matrix").last
    assert ours.locator(".of-row").all_inner_texts() == ["bolt", "key", "nut"]
    assert ours.locator(".of-column").all_inner_texts() == ["bolt", "key", "nut"]
    expect(page.locator("#confusion")).to_contain_text("answer →")
    expect(page.locator("#confusion")).to_contain_text("true ↓")
    ours.get_by_role("button", name="key → bolt: 1").click()
    expect(page.locator("#gallery button")).to_have_count(1)
    expect(page.locator("#only")).to_contain_text("Only key → bolt")
    page.screenshot(path=shots / "filtered.png")
    page.click("#only >> text=Show all")
    expect(page.locator("#gallery button")).to_have_count(13)
