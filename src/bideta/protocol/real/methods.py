"""Who answers: presets of the method by their names, and the comparisons, all with the same readouts.

Comparisons are found by their facts: a new file in ``bideta.baselines`` is measured without a word here.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import Bideta, presets
from bideta.baselines import MethodInfo
from bideta.deploy import OnlineBideta
from bideta.encoders import Readouts
from bideta.plugins import find, load_method, names

PRESETS: dict[str, dict[str, Any]] = {
    name.lower(): getattr(presets, name)
    for name in ("TOUCH", "ROBOT", "CLASSIFICATION")
    if hasattr(presets, name)
}
OURS = "bideta"  # the plugin: the preset ``classification`` by another name
SOURCE = "source"  # the classifier of another sensor, unchanged

# Settings of comparisons. The penalty is the middle of the grid that logistic regression would search for minutes.
SETTINGS: dict[str, dict[str, Any]] = {"logistic": {"inverse_penalty": 0.1}}
# With these, a comparison that asks for a source does without.
ALONE: dict[str, dict[str, Any]] = {"tip-adapter": {"mode": "cache"}}


@cache
def comparisons() -> dict[str, MethodInfo]:
    """Name → facts of every comparison that can run; no set has calibration images."""
    infos = {name: find("method", name).INFO for name in names("method") if name != OURS}
    return {name: info for name, info in infos.items() if not info.needs_calibration}


def answering(source: bool = False) -> tuple[str, ...]:
    """Who answers without a source: presets first; with ``source``, the comparisons that ask for one."""
    if source:
        return tuple(name for name, info in comparisons().items() if info.needs_source)
    alone = (name for name, info in comparisons().items() if not info.needs_source or name in ALONE)
    return (*PRESETS, *alone)


def settings_of(method: str, source: bool = False) -> dict[str, Any]:
    """What a record notes of a method's settings."""
    settings = PRESETS.get(method) or SETTINGS.get(method, {})
    return dict(settings) if source else {**settings, **ALONE.get(method, {})}


def adapt(
    method: str, readouts: Readouts, labels: NDArray[Any], presses: NDArray[Any], source: Any = None
) -> Any:
    """The method, taught by labelled contacts, with a ``source`` that ``prepare_source`` made."""
    if method in PRESETS:
        return Bideta(**PRESETS[method]).fit(readouts, labels, presses)
    if method == SOURCE:
        return load_method("lda").fit(readouts, labels)
    return load_method(method, **settings_of(method, source is not None)).fit(readouts, labels, source=source)


def prepare_source(readouts: Readouts, labels: NDArray[Any]) -> Any:
    """Contacts of another sensor, as every comparison takes them: what belongs to it alone is made once."""
    return load_method("frozen").prepare((readouts, labels), labels)


def answer_in_turn(method: str, adapted: Any, readouts: Readouts) -> NDArray[np.float64]:
    """(m, C) what the method says about each contact when it comes, jointly with those before it."""
    count = len(readouts[0])
    if method in PRESETS:
        online = OnlineBideta(adapted)
        return np.array([online.predict_one(tuple(H[i] for H in readouts)).proba for i in range(count)])
    if not comparisons()[method].transductive:
        proba: NDArray[np.float64] = adapted.predict_proba(readouts)
        return proba
    so_far = (tuple(H[: i + 1] for H in readouts) for i in range(count))
    return np.array([adapted.predict_proba(contacts)[-1] for contacts in so_far])
