from __future__ import annotations

import re

from bideta.protocol.stamp import commit, versions


def test_versions_and_commit_are_plain_text():
    found = versions()
    assert {"python", "bideta", "numpy"} <= set(found)
    assert re.fullmatch(r"([0-9a-f]{7,}\+?)?", commit())
