from __future__ import annotations

import pytest

from bideta.studio.limits import Limits
from bideta.studio.texts import LabelError, clean_label, clean_name

LIMITS = Limits()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a\nb\x00.png", "a b .png"),
        ("../../etc/passwd", "../../etc/passwd"),
        ("\u202egnp.exe", "gnp.exe"),
        ("", "unnamed"),
        ("x" * 999, "x" * 300),
    ],
)
def test_names_are_one_line_of_text(given, kept):
    assert clean_name(given, LIMITS) == kept


def test_labels_are_trimmed_and_blank_means_none():
    assert clean_label("  nut [M8] ", LIMITS) == "nut [M8]"
    assert clean_label("  ", LIMITS) is None
    assert clean_label("e\u0301", LIMITS) == "é"


@pytest.mark.parametrize("label", ["..", ".hidden", "a/b", "a\\b", "a\nb", "a\u202eb", "x" * 101])
def test_labels_that_cannot_name_a_folder_are_refused(label):
    with pytest.raises(LabelError):
        clean_label(label, LIMITS)
