"""Lowest versions: none with a known hole, and ``make lowest`` finds every one of them."""

from __future__ import annotations

import tomllib

import pytest

from support.lowest import PROJECT, REQUIREMENT, lowest

SAFE = {
    "torch": (2, 10),
    "pillow": (12, 3),
    "starlette": (1, 3, 1),
    "h11": (0, 16),
    "python-multipart": (0, 0, 31),
    "ray": (2, 52),
    "opencv-python-headless": (4, 12),
}


def bounds():
    table = tomllib.loads(PROJECT.read_text())["project"]
    parts = (table["dependencies"], *table["optional-dependencies"].values())
    return [REQUIREMENT.fullmatch(text) for part in parts for text in part if not text.startswith("bideta[")]


@pytest.mark.parametrize("package", SAFE)
def test_no_version_with_a_known_hole_is_allowed(package):
    allowed = [tuple(map(int, match[2].split("."))) for match in bounds() if match[1] == package]
    assert allowed
    assert min(allowed) >= SAFE[package]


def test_every_dependency_has_a_lowest_version():
    assert all(bounds())
    assert {"numpy", "scikit-learn", "fastapi", "ray"} <= set(lowest())
    assert "torch" not in lowest()  # the Makefile pins it
