"""Pictures of every page of the studio, to be looked at: ``python tests/browser/photograph.py build/pages``.

375 and 1440 px wide, light and dark, with the example and with a session that measures. ``--page
docs/images/studio.png`` writes the one picture of the manual instead.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from bideta.images.png import png
from bideta.service.choices import DEFAULT_ENCODER
from bideta.sim import HOUSEHOLD, find_sensor, presses, render
from bideta.sim.truth import quantities
from browser.conftest import ARGUMENTS, CHROMIUM
from support.studio_page import PATIENCE, adapt, drop, new_session
from support.studio_server import TOKEN, Server

SIZES = {375: 812, 1440: 900}
STEPS = ("contacts", "results", "export", "live")
LEARNED, CHECKED = 60, 90  # simulated contacts of the session that measures


def measured(folder: Path) -> None:
    """Simulated contacts of a few objects with their depth, tilt and force in ``targets.csv``."""
    sensor, rng = find_sensor("Hex"), np.random.default_rng(3)
    contacts = presses(HOUSEHOLD, rng.integers(0, 4, LEARNED + CHECKED), rng, frames=1)
    values, lines = quantities(contacts, sensor), []
    for row, picture in enumerate(render(contacts, sensor, seed=rng)):
        name = HOUSEHOLD[int(contacts.object[row])].name
        path = folder / ("labelled" if row < LEARNED else "new") / name / f"{row:03d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(picture))
        lines.append(",".join([str(path.relative_to(folder)), *(f"{v[row]:.3f}" for v in values.values())]))
    (folder / "targets.csv").write_text("\n".join([",".join(["path", *values]), *lines]) + "\n")


def example(page: Page, address: str) -> str:
    """The address of the example's session."""
    page.goto(address)
    page.click("text=Open the example")
    page.wait_for_selector("#gallery button")
    return page.url.rpartition("/")[0]


def session_that_measures(page: Page, server: Server, folder: Path) -> str:
    measured(folder)
    new_session(page, server, "tip with depths")
    drop(page, "#zone-labelled", [folder / "labelled"])
    page.wait_for_selector(f"text={LEARNED} contacts,")
    drop(page, "#zone-unlabelled", [folder / "new"])
    page.wait_for_selector(f"text={CHECKED} contacts; select some")
    page.set_input_files("#measure-table", folder / "targets.csv")
    page.wait_for_selector("text=kept back to check the answers")
    adapt(page)
    page.wait_for_selector("#gallery button")
    return page.url.rpartition("/")[0]


def photograph(page: Page, where: Path) -> None:
    page.wait_for_load_state("networkidle")
    page.wait_for_function("() => [...document.images].every((i) => i.complete || i.loading === 'lazy')")
    page.wait_for_timeout(300)
    page.screenshot(path=where, full_page=True)


def all_pages(page: Page, address: str, sessions: dict[str, str], folder: Path) -> None:
    for width, height in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            size = f"{width}-{scheme}"
            page.goto(address)
            page.wait_for_selector("#recent:not([hidden])")
            photograph(page, folder / f"start-{size}.png")
            page.goto(f"{address}/docs")
            photograph(page, folder / f"docs-{size}.png")
            for name, session in sessions.items():
                for step in STEPS:
                    page.goto(f"{session}/{step}")
                    page.wait_for_selector(f"#{step}:not([hidden]):not([aria-busy=true])")
                    page.wait_for_timeout(300)
                    if step == "live":
                        page.click("#live-start")
                        page.wait_for_selector("#live-strip li:nth-child(6)")
                        page.click("#live-pause")
                    photograph(page, folder / f"{name}-{step}-{size}.png")
            first = sessions["example"]
            page.goto(f"{first}/results")
            page.locator("#gallery button").first.click()
            page.wait_for_selector("#detail[open]")
            page.screenshot(path=folder / f"detail-{size}.png")
            page.keyboard.press("Escape")
            for look in ("difference", "contrast", "picture"):
                page.click(f"[data-look={look}]")
                page.wait_for_timeout(1500)
                page.screenshot(path=folder / f"look-{look}-{size}.png")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="where the pictures go")
    parser.add_argument("--page", type=Path, help="the picture of the manual")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        server = Server(Path(home) / "home", "--encoder", DEFAULT_ENCODER)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(5 * PATIENCE)
        try:
            context.request.post(f"{server.address}/v1/login", data={"token": TOKEN})
            page = context.new_page()
            opened = example(page, server.address)
            if arguments.page is not None:
                page.wait_for_load_state("networkidle")
                page.screenshot(path=arguments.page)
            if arguments.folder is not None:
                arguments.folder.mkdir(parents=True, exist_ok=True)
                other = session_that_measures(page, server, Path(home) / "pictures")
                all_pages(page, server.address, {"example": opened, "quantities": other}, arguments.folder)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
