"""Frames from a camera or a video file, grabbed on the studio's page."""

from __future__ import annotations

import pytest

from support.studio_page import new_session

pytest.importorskip("playwright.sync_api", reason="browser tests need playwright")
pytest.importorskip("fastapi", reason="the studio needs the extra serve")
pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker


def test_frames_are_grabbed_from_a_camera(page, server):
    new_session(page, server)
    page.click("#zone-labelled [data-camera]")
    page.wait_for_selector("#camera-grab:not([disabled])")
    page.fill("#camera-label", "bolt")
    page.click("#camera-grab")
    page.wait_for_selector("text=1 contact, 1 object")
    page.fill("#camera-label", "")
    page.click("#camera-grab")
    page.wait_for_selector("text=1 contact; select some")
    page.click("#camera-close")


def test_frames_are_grabbed_from_a_video_file(page, server):
    new_session(page, server)
    page.evaluate(
        """async () => {
          const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 48 });
          const paint = canvas.getContext("2d");
          const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: "video/webm" });
          const parts = [];
          recorder.ondataavailable = (event) => parts.push(event.data);
          recorder.start();
          for (let i = 0; i < 20; i += 1) {
            paint.fillStyle = `rgb(${i * 12} 80 160)`;
            paint.fillRect(0, 0, 64, 48);
            await new Promise((resolve) => { setTimeout(resolve, 30); });
          }
          await new Promise((resolve) => { recorder.onstop = resolve; recorder.stop(); });
          const transfer = new DataTransfer();
          transfer.items.add(new File(parts, "touch.webm", { type: "video/webm" }));
          const input = document.querySelector("#zone-labelled [data-pick=files]");
          input.files = transfer.files;
          input.dispatchEvent(new Event("change"));
        }"""
    )
    page.wait_for_selector("#camera-grab:not([disabled])")
    page.fill("#camera-label", "bolt")
    page.click("#camera-grab")
    page.wait_for_selector("text=1 contact, 1 object")
