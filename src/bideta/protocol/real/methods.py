"""Who answers: presets of the method by their names, and the comparisons, all with the same readouts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import Bideta, presets
from bideta.baselines import NotAvailableError
from bideta.deploy import OnlineBideta
from bideta.encoders import Readouts
from bideta.plugins import load_method

PRESETS: dict[str, dict[str, Any]] = {
    name.lower(): getattr(presets, name)
    for name in ("TOUCH", "ROBOT", "CLASSIFICATION")
    if hasattr(presets, name)
}
RIVALS = ("lda", "em-lda", "tim", "label-spreading", "logistic", "transclip")
SOURCE = "source"  # the classifier of another sensor, unchanged
EVERY = (*PRESETS, *RIVALS)

# Settings of comparisons. The penalty is the middle of the grid that logistic regression would search for minutes.
SETTINGS: dict[str, dict[str, Any]] = {"logistic": {"inverse_penalty": 0.1}}


def settings_of(method: str) -> dict[str, Any]:
    """What a record notes of a method's settings."""
    return dict(PRESETS.get(method) or SETTINGS.get(method, {}))


def adapt(method: str, readouts: Readouts, labels: NDArray[Any], presses: NDArray[Any]) -> Any:
    """The method, taught by labelled contacts."""
    if method in PRESETS:
        return Bideta(**PRESETS[method]).fit(readouts, labels, presses)
    name = "lda" if method == SOURCE else method
    return load_method(name, **SETTINGS.get(name, {})).fit(readouts, labels)


def answer_in_turn(adapted: Any, readouts: Readouts) -> NDArray[np.float64]:
    """(m, C) what the method says about each contact when it comes, after those before it."""
    if not isinstance(adapted, Bideta):
        raise NotAvailableError("only BIDETA answers one contact at a time")
    online = OnlineBideta(adapted)
    rows = [tuple(H[i] for H in readouts) for i in range(len(readouts[0]))]
    return np.array([online.predict_one(row).proba for row in rows])
