"""What a robot needs: one contact at a time, tuned settings, what to label next, doubt."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.same.entries import Entries, call, deploy
from benchmarks.same.features import contacts
from bideta import Bideta, presets

PRESETS = {"classification": presets.CLASSIFICATION, "robot": presets.ROBOT}


def entries() -> Entries:
    """Stream, tune, suggest, trust."""
    for preset, settings in PRESETS.items():
        yield from _stream(f"online {preset}", settings)
    yield from _tuned()
    yield from _suggested()
    yield from _trusted()


def _stream(name: str, settings: dict[str, Any]) -> Entries:
    data = contacts(10, m=150)
    some = data.labels != "nut"  # it is enrolled on the way
    support = tuple(H[some] for H in data.support)
    sensor = Bideta(**settings).fit(support, data.labels[some], data.presses[some])
    online = deploy("OnlineBideta")(sensor, window=64, max_support=12)
    rows = [tuple(H[i] for H in data.queries) for i in range(150)]
    for i, row in enumerate(rows):
        answer = online.predict_one(row)
        yield f"{name} {i} proba", answer.proba
        yield f"{name} {i} anchor", answer.anchor
        yield f"{name} {i} label", str(answer.label)
        if i % 10 == 9:
            online.learn_one(row, data.truth[i])
        if i == 45:  # a label that turns out wrong, and its correction
            online.learn_one(row, "bolt")
        if i == 60:
            online.learn_one(rows[45], data.truth[45])
        if i in (20, 80, 149):
            revised = online.revise()
            yield f"{name} {i} revised", np.array([past.proba for past in revised])
            yield f"{name} {i} revised index", np.array([past.index for past in revised])
    yield f"{name} sensor", online.adapted.predict_proba(data.queries)
    yield f"{name} classes", online.adapted.classes_


def _tuned() -> Entries:
    tune = deploy("tune")
    data = contacts(11, m=160, presses=6)
    given: dict[str, dict[str, Any]] = {
        "alone": {},
        "presses": {"groups": data.presses},
        "queries": {"queries": data.queries, "groups": data.presses, "preset": presets.ROBOT},
    }
    for name, named in given.items():
        tuned = call(tune, data.support, data.labels, **named)
        yield from _choice(f"tune {name}", tuned)
        adapted = tuned.fit(data.support, data.labels, data.presses if "groups" in named else None)
        yield f"tune {name} answers", adapted.predict_proba(data.queries)
    yield from _choice("tune one readout", tune(data.support[0], data.labels))
    # A graph that does not fit the data at all: the queries show it.
    ruin = {"geometry": "raw", "n_neighbors": 1, "r_min": 0.99, "r_max": 0.99, "n_iter": 50, "prior": None}
    tuned = tune(data.support, data.labels, queries=data.queries, preset={**presets.CLASSIFICATION, **ruin})
    yield from _choice("tune ruined", tuned)
    yield "tune ruined answers", tuned.fit(data.support, data.labels).predict_proba(data.queries)


def _choice(name: str, tuned: Any) -> Entries:
    yield f"{name} settings", str(sorted(tuned.settings.items()))
    yield f"{name} said", str(tuned)
    yield f"{name} gains", np.array([(score.gain, score.error, score.chosen) for score in tuned.scores])
    yield f"{name} changes", str([sorted(score.change.items()) for score in tuned.scores])


def _suggested() -> Entries:
    suggest = deploy("suggest")
    data = contacts(13, m=240)
    for preset, settings in PRESETS.items():
        sensor = Bideta(**settings).fit(data.support, data.labels, data.presses)
        yield f"suggest warm {preset}", call(suggest, data.queries, 12, sensor)
        yield (
            f"suggest warm presses {preset}",
            call(suggest, data.queries, 12, sensor, groups=data.query_presses),
        )
    yield "suggest cold", call(suggest, data.queries, 12)
    yield "suggest cold presses", call(suggest, data.queries, 12, groups=data.query_presses)
    pool = contacts(13, m=4500, dims=(12, 16))
    yield "suggest from many", call(suggest, pool.queries, 5, seed=3)


def _trusted() -> Entries:
    data = contacts(15, m=120, presses=8, signal=0.45)
    strange = tuple(np.vstack([H, H[:20] + 4]) for H in data.queries)
    for preset, settings in PRESETS.items():
        sensor = Bideta(**settings).fit(data.support, data.labels, data.presses)
        calibrated = deploy("calibrate")(sensor)
        yield f"calibrate {preset}", np.array([calibrated.anchor, calibrated.joint])
        for size, X in (("many", strange), ("few", tuple(H[-30:] for H in strange))):
            yield from _doubt(f"{preset} {size}", sensor, X, data.presses)
            result = sensor.infer(X)
            yield f"calibrate {preset} {size} joint", calibrated.of_joint(result)
            yield f"calibrate {preset} {size} anchor", calibrated.of_anchor(result)


def _doubt(name: str, sensor: Bideta, X: Any, presses: NDArray[np.intp]) -> Entries:
    result = sensor.infer(X)
    hidden = deploy("hold_out")(sensor, X)
    for field in ("labels", "folds", "presses", "proba", "agreement", "strangeness", "queries", "right"):
        yield f"hold_out {name} {field}", getattr(hidden, field)
    given = call(deploy("hold_out"), sensor, X, groups=presses // 2, folds=3, seed=2)
    yield f"hold_out {name} other presses", given.proba
    for coverage in (0.8, 0.95):
        yield f"conformal_sets {name} {coverage}", deploy("conformal_sets")(hidden, coverage)
    yield f"reliability {name}", deploy("reliability")(sensor, result, X)
    for risk in (0.05, 0.2, 0.5):
        decision = call(deploy("reject"), sensor, result, X, risk, held=hidden)
        yield f"reject {name} {risk}", decision.accepted
        yield f"reject {name} {risk} threshold", decision.threshold
        yield f"reject {name} {risk} reliability", decision.reliability
    for share in (0.05, 0.2):
        unknown = call(deploy("find_unknown"), sensor, result, X, share, held=hidden)
        yield f"find_unknown {name} {share}", unknown.unknown
        yield f"find_unknown {name} {share} score", unknown.score
        yield f"find_unknown {name} {share} threshold", unknown.threshold
