"""What somebody does on the studio's page, for tests in a browser."""

from __future__ import annotations

import re

from support.studio_server import folders

PATIENCE = 60_000  # ms: two cores may be busy with other tests


def new_session(page, server, title="left finger"):
    page.goto(server.address)
    page.fill("#new-title", title)
    page.click("#new-form button")
    page.wait_for_selector("#zone-labelled")
    page.wait_for_url(re.compile("#[0-9a-f]{32}"))


def drop(page, selector, paths):
    """A real drag from the desktop: files and folders, as the browser sees them."""
    zone = page.locator(selector)
    zone.wait_for(state="visible")  # a tab just clicked is shown a moment later; what is hidden has no box
    box = zone.bounding_box()
    place = {"x": box["x"] + 30, "y": box["y"] + 12}
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    devtools = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        devtools.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})
    devtools.detach()


def filled(page, server, tmp_path, queries=4):
    """A session with labelled and new contacts, dropped as folders."""
    new_session(page, server)
    drop(page, "#zone-labelled", [folders(tmp_path / "labelled", 5, 0)])
    page.wait_for_selector("text=15 contacts, 3 objects")
    drop(page, "#zone-unlabelled", [folders(tmp_path / "new", queries, 50)])
    page.wait_for_selector(f"text={3 * queries} contacts; select some")


def adapt(page):
    page.click("#adapt")
    page.wait_for_selector("#results-body:not([hidden])")
