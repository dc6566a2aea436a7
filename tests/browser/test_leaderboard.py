"""The leaderboard in a browser: sorted, filtered, opened, and silent."""

from __future__ import annotations

import pytest

from bideta.report.leaderboard.page import page as leaderboard
from bideta.report.leaderboard.submissions import open_submissions
from support import synthetic_records as synthetic

pytestmark = pytest.mark.xdist_group("browser")  # one browser, one worker


@pytest.fixture
def board(chromium, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    synthetic.write(run, synthetic.run(experiments=["ranking"], seeds=(0, 1)))
    (tmp_path / "index.html").write_text(leaderboard(open_submissions([run])), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1200, "height": 800})
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "index.html").as_uri())
    yield page
    page.close()
    assert complaints == []  # the page's own policy lets its script and style through


def test_lines_are_sorted_by_a_click_and_filtered_by_a_choice(board):
    mrr = board.locator("table.board tbody tr:visible td:nth-child(7)")
    before = mrr.count()
    board.get_by_role("button", name="MRR").click()
    shown = [float(text.split("±")[0]) for text in mrr.all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    board.get_by_role("button", name="MRR").click()
    assert [float(text.split("±")[0]) for text in mrr.all_inner_texts()] == sorted(shown)
    board.get_by_label("method").select_option("bideta")
    assert 0 < mrr.count() < before
    assert set(board.locator("tbody tr:visible td:nth-child(6)").all_inner_texts()[: mrr.count()]) == {
        "bideta"
    }
    board.get_by_label("any word").fill("no such word")
    assert mrr.count() == 0


def test_a_line_opens_to_its_command(board):
    line = board.locator("table.board details").first
    line.locator("summary").click()
    assert line.locator("code").inner_text().startswith("bideta bench ranking")
