"""``bideta help``: every page that a message cites is there, with its section."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bideta.cli._pages import page, topics

ROOT = Path(__file__).parents[2]
CITED = sorted(
    {
        topic
        for path in (ROOT / "src").rglob("*.py")
        for topic in re.findall(r"bideta help ([a-z][a-z-]+(?:#[a-z-]+)?)", path.read_text())
    }
)


def test_messages_cite_pages() -> None:
    assert len(CITED) > 8


@pytest.mark.parametrize("topic", CITED)
def test_what_a_message_cites_can_be_printed(topic: str) -> None:
    assert page(topic).startswith("#")


def test_every_section_of_data_that_a_message_builds_exists() -> None:
    layouts = (ROOT / "src/bideta/datasets").rglob("*.py")
    pages = {name for path in layouts for name in re.findall(r'page="([a-z]+)"', path.read_text())}
    assert all(page(f"data#{name}") for name in pages)


def test_a_section_ends_before_the_next_one() -> None:
    text = page("own-sensor#folders")
    assert text.startswith("## Folders")
    assert "## What comes out" not in text


def test_the_list_has_every_page_once(bideta) -> None:
    code, said = bideta("help")
    assert code == 0
    assert [line.split()[0] for line in said.splitlines()] == list(topics())
    assert len(set(topics().values())) == len(topics())


def test_a_page_can_be_printed(bideta) -> None:
    assert bideta("help", "method")[1].startswith("# The method")


def test_a_misspelt_page_is_answered_with_the_one_meant() -> None:
    with pytest.raises(ValueError, match="Did you mean 'own-sensor'"):
        page("own-senser")


def test_a_section_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="no section 'spoons'"):
        page("own-sensor#spoons")
