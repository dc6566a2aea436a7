from __future__ import annotations

from types import SimpleNamespace

import pytest

from bideta import plugins
from bideta.service import plugins as checked
from bideta.service.plugins import load_plugin


def test_a_setting_of_another_name_is_refused_with_the_known_ones():
    with pytest.raises(
        ValueError, match=r"the encoder 'twin-tvl' has no setting 'colour'\. Known: .*threads"
    ):
        load_plugin("encoder", "twin-tvl", {"colour": 1})


def test_a_setting_of_another_type_is_refused():
    with pytest.raises(ValueError, match=r"does not take the settings|threads is"):
        load_plugin("encoder", "twin-tvl", {"threads": "many"})


def test_downloads_are_allowed_only_where_asked(monkeypatch):
    asked = []

    def load(weights="", *, download=False):
        asked.append(download)

    monkeypatch.setattr(plugins, "find", lambda kind, name: SimpleNamespace(load=load))
    monkeypatch.setattr(checked, "find", plugins.find)
    load_plugin("encoder", "x", {"weights": "a"})
    load_plugin("encoder", "x", {"weights": "a"}, download=True)
    assert asked == [False, True]
