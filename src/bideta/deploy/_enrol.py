"""Where a label stands among the classes, one that is not yet among them included."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.labels import encode_labels


def place_label(label: Any, classes: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Index of the label, and the classes with it: as if a fit had seen it too."""
    if isinstance(label, np.generic):
        label = label.item()
    known = classes.tolist()
    for i, name in enumerate(known):
        if type(label) is type(name) and label == name:
            return i, classes
    number = isinstance(label, int | float) and not isinstance(label, bool)
    if (isinstance(label, str) and classes.dtype.kind == "U") or (number and classes.dtype.kind in "iuf"):
        joined: Any = np.append(classes, label)  # keeps the kind of the labels: no list of Python objects
    else:
        joined = [*known, label]
    widened, indices = encode_labels(joined, len(known) + 1)
    if len(widened) == len(known):  # 1 and 1.0 are one label
        return int(indices[-1]), classes
    return int(indices[-1]), widened
