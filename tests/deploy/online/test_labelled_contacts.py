from __future__ import annotations

import numpy as np
import pytest

from bideta.checks import encode_labels, object_array
from bideta.deploy.online.labelled_contacts import place_label


@pytest.mark.parametrize(
    ("classes", "label"),
    [
        (np.array(["bolt", "key"]), "a much longer name"),
        (np.array(["bolt", "key"]), np.str_("coin")),
        (np.array([1, 5], np.int32), 3),
        (np.array([1, 5]), np.int64(9)),
        (np.array([1.0, 5.0]), 2),
        (object_array([("a", 1), ("b", 2)]), ("a", 2)),
        (np.array([1, 5]), ("five",)),
        (np.array(["bolt", "key"]), ("pin", 7)),
    ],
    ids=str,
)
def test_new_label_gives_the_classes_that_a_fit_would_have_found(classes, label):
    index, widened = place_label(label, classes)
    expected, indices = encode_labels([*classes.tolist(), label], len(classes) + 1)
    assert widened.tolist() == expected.tolist()
    assert index == indices[-1]
    assert widened.dtype.kind == expected.dtype.kind


@pytest.mark.parametrize(
    ("classes", "label", "index"),
    [
        (np.array(["bolt", "key"]), "key", 1),
        (np.array(["bolt", "key"]), np.str_("bolt"), 0),
        (np.array([1, 5], np.int32), 5, 1),
        (np.array([1, 5]), np.uint8(1), 0),
        (np.array([1.0, 5.0]), 5, 1),
        (object_array([1, "1"]), "1", 1),
    ],
    ids=str,
)
def test_known_label_is_found_and_the_classes_stay(classes, label, index):
    found, same = place_label(label, classes)
    assert found == index
    assert same is classes


@pytest.mark.parametrize(
    ("classes", "label"),
    [([1.0, 2.0], float("nan")), (["bolt"], ["bolt"]), ([1, 5], "five"), (["key"], 7)],
    ids=str,
)
def test_what_a_fit_would_refuse_is_refused(classes, label):
    with pytest.raises(ValueError, match=r"NaN|not hashable|mixes strings and numbers"):
        place_label(label, np.array(classes))
