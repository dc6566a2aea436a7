"""Settings chosen without a label of any query: on the support alone, and on unlabelled queries where there are some.

What the memory needs (ρ, τ_m, α, and whether LDA or logistic regression) is judged by the likelihood of labelled
presses that it has not seen, for LDA in closed form. A setting leaves the preset where it is better by more than
its standard error (α three of them, the kind of memory two); of the ρ that are as good as the best to two standard
errors, the one nearest to the preset's is taken. τ_m changes no answer of the memory, only how much the
joint step trusts it, and there the likelihood is a poor guide: it leaves the preset only where that does not fit.

What the graph needs (γ, k, τ_g, r, whether it is used) shows only in a batch. Folds of the support hide among the
queries and count the right answers. Hidden contacts are not quite like queries: they come one by one, while queries
come in presses of many frames that are each other's neighbours. A setting that leans on the graph therefore looks
worse than it is: on the development sensors, changes that promised up to four points lost as many. So the graph
leaves the preset only where that promises more than five points: a guard against a preset that does not fit the data
at all, not a fine adjustment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta import presets
from bideta.deploy import _hidden, _memories
from bideta.deploy._memories import Held
from bideta.deploy.heldout import fold_numbers
from bideta.estimator import Bideta
from bideta.extensions.presses import labelled_presses
from bideta.method.standardize import Floats64

SHRINKAGES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
ALPHAS = (0.25, 0.5, 0.75)
# The best likelihood is often at a τ_m of 8 or more; in the joint step everything beyond 2 costs some sensors accuracy.
TEMPERATURES = (1.0, 1.5, 2.0)
TEMPERATURE_MARGIN = (
    1.0  # log-likelihood per press; on the development sensors less than that cost some of them accuracy
)
FOLDS = 4  # of the logistic regression
# Standard errors that a change must be better by. The joint step misses a readout that has little weight in the anchor
# more than the likelihood shows.
MEMORY_ERRORS, ALPHA_ERRORS, TYPE_ERRORS, GRAPH_ERRORS = 1.0, 3.0, 2.0, 2.0
STEP_ERRORS = 2.0  # to which two ρ are equally good
GRAPH_MARGIN = 0.05  # and by so much accuracy on hidden contacts
GRAPH: tuple[dict[str, Any], ...] = (
    {"gamma": 0.0},
    {"gamma": 0.3},
    {"gamma": 0.9},
    {"n_neighbors": 10},
    {"n_neighbors": 80},
    {"graph_temperature": 0.1},
    {"graph_temperature": 0.5},
    {"r_min": 0.5, "r_max": 0.7},
    {"r_min": 0.9, "r_max": 0.98},
    {"n_iter": 0},
)


@dataclass(frozen=True)
class Score:
    """What a change of settings gains on contacts that were held out: log-likelihood (memory) or accuracy (graph)."""

    change: dict[str, Any]
    gain: float  # against the preset
    error: float  # standard error of the gain
    chosen: bool = False


@dataclass(frozen=True)
class Tuned:
    """Chosen settings of ``Bideta``, and everything that was compared."""

    settings: dict[str, Any]
    scores: tuple[Score, ...]
    memory: Literal["lda", "logistic"] = "lda"
    penalty: float = 1.0  # of the logistic regression, as scikit-learn's C

    def __str__(self) -> str:
        """What differs from the preset, as "shrinkage=0.01, memory_temperature=2.0"."""
        changes = {
            name: value for score in self.scores if score.chosen for name, value in score.change.items()
        }
        return ", ".join(f"{name}={value}" for name, value in changes.items()) or "those of the preset"

    def fit(self, X: Any, y: Any, groups: ArrayLike | None = None) -> Bideta:
        """The sensor adapted with these settings; a logistic memory takes the place of LDA where it was chosen."""
        adapted = Bideta(**self.settings).fit(X, y, groups)
        if self.memory == "logistic":
            readouts = []
            for readout, H in zip(adapted.readouts_, adapted.support_, strict=True):
                Z = readout.standardizer(H)
                ((_, fitted),) = _memories.regressions(Z, adapted.support_labels_, [self.penalty])
                readouts.append(replace(readout, memory=fitted))
            adapted.readouts_ = tuple(readouts)
        return adapted


def tune(
    X: Any,
    y: Any,
    *,
    preset: Mapping[str, Any] = presets.CLASSIFICATION,
    queries: Any = None,
    groups: ArrayLike | None = None,
    seed: int = 0,
) -> Tuned:
    """Settings for these labelled contacts, starting from ``preset``; ``queries`` are unlabelled contacts.

    ``groups`` numbers the press of each labelled contact: frames of one press are nearly alike and are held out
    together, or they would vouch for each other and too little shrinkage would look best.
    Without queries the graph keeps the preset's settings: the support does not show what a batch looks like. With
    one contact per class nothing can be held out, with one class nothing confused: the preset comes back.
    """
    _check_preset(preset)
    base = Bideta(**preset).fit(X, y, groups)
    if groups is not None:
        labelled_presses(groups, base.support_labels_)
    held = _held(base)
    if not len(held.rows) or len(base.classes_) == 1:
        return Tuned(dict(preset), ())
    settings, scores, likelihood = _tune_lda(base, held)
    tuned = Tuned({**preset, **settings}, tuple(scores))
    if held.enough:
        tuned = _tune_type(tuned, base, held, likelihood, seed)
    if queries is not None:
        tuned = _tune_graph(tuned, X, y, groups, base.views(queries, "queries"), seed)
    return tuned


def _check_preset(preset: Any) -> None:
    if not isinstance(preset, Mapping):
        raise ValueError(f"preset is {preset!r}, expected settings of Bideta such as bideta.presets.ROBOT")
    strange = sorted(set(preset) - set(Bideta().get_params()))
    if strange:
        raise ValueError(f"preset has {', '.join(strange)}, which is no setting of Bideta")


def _held(base: Bideta) -> Held:
    counts = np.bincount(base.support_labels_)
    prior = counts / counts.sum() if base.prior_ is None else base.prior_
    Z = tuple(readout.standardizer(H) for readout, H in zip(base.readouts_, base.support_, strict=True))
    return Held(Z, base.support_labels_, prior, base.readouts_, base.support_groups_)


def _tune_lda(base: Bideta, held: Held) -> tuple[dict[str, Any], list[Score], Floats64]:
    """ρ, α and τ_m; what was compared; the likelihood of the held-out contacts at the best temperature."""
    ell = held.lda(base.shrinkage)
    likelihood = _memories.best_likelihood(ell, held, base.alpha)
    settings: dict[str, Any] = {}
    scores: list[Score] = []
    if held.enough:
        options = {rho: held.lda(rho) for rho in SHRINKAGES}
        found = [
            ({"shrinkage": rho}, _memories.best_likelihood(e, held, base.alpha)) for rho, e in options.items()
        ]
        usual = np.mean(
            np.log([max(r.covariance.resolve(base.shrinkage), SHRINKAGES[0]) for r in base.readouts_])
        )
        steps = np.abs(np.log(SHRINKAGES) - usual)
        chosen, likelihood = _choose(found, likelihood, MEMORY_ERRORS, scores, steps=steps)
        settings |= chosen
        ell = options.get(chosen.get("shrinkage", -1.0), ell)
        if len(ell) == 2:
            found = [
                ({"alpha": a}, _memories.best_likelihood(ell, held, a)) for a in ALPHAS if a != base.alpha
            ]
            chosen, likelihood = _choose(found, likelihood, ALPHA_ERRORS, scores)
            settings |= chosen
    alpha = settings.get("alpha", base.alpha)
    own = _memories.log_likelihood(ell, held, base.memory_temperature, alpha)
    found = [
        ({"memory_temperature": t}, _memories.log_likelihood(ell, held, t, alpha))
        for t in TEMPERATURES
        if t != base.memory_temperature
    ]
    chosen, _ = _choose(found, own, MEMORY_ERRORS, scores, TEMPERATURE_MARGIN)
    return settings | chosen, scores, likelihood


def _tune_type(tuned: Tuned, base: Bideta, held: Held, likelihood: Floats64, seed: int) -> Tuned:
    """LDA, or logistic regression where it knows held-out contacts clearly better."""
    folds = fold_numbers(held.y, held.groups, folds=FOLDS, seed=seed)
    found = [
        ({"memory": "logistic", "penalty": penalty}, _memories.best_likelihood(ell, held, base.alpha))
        for penalty, ell in held.logistic(folds)
    ]
    scores: list[Score] = []
    chosen, _ = _choose(found, likelihood, TYPE_ERRORS, scores)
    if not chosen:
        return replace(tuned, scores=(*tuned.scores, *scores))
    scores = [*(replace(score, chosen=False) for score in tuned.scores), *scores]  # those were for LDA
    memory_settings = {name: getattr(base, name) for name in ("shrinkage", "alpha", "memory_temperature")}
    return Tuned({**tuned.settings, **memory_settings}, tuple(scores), "logistic", chosen["penalty"])


def _tune_graph(
    tuned: Tuned,
    X: Any,
    y: Any,
    groups: ArrayLike | None,
    queries: tuple[NDArray[Any], ...],
    seed: int,
) -> Tuned:
    """Every graph setting by itself against the settings so far (with the LDA memory)."""
    base = Bideta(**tuned.settings).fit(X, y, groups)
    changes = [
        change for change in GRAPH if any(getattr(base, name) != value for name, value in change.items())
    ]
    own, *others = _hidden.right_answers(base, queries, [{}, *changes], seed)
    scores, settings = list(tuned.scores), dict(tuned.settings)
    for names in dict.fromkeys(tuple(change) for change in changes):
        found = [pair for pair in zip(changes, others, strict=True) if tuple(pair[0]) == names]
        settings |= _choose(found, own, GRAPH_ERRORS, scores, GRAPH_MARGIN)[0]
    return replace(tuned, settings=settings, scores=tuple(scores))


def _choose(
    found: list[tuple[dict[str, Any], Floats64]],
    own: Floats64,
    errors: float,
    scores: list[Score],
    margin: float = 0.0,
    steps: Floats64 | None = None,
) -> tuple[dict[str, Any], Floats64]:
    """The best change where it beats ``own`` by ``margin`` and so many standard errors, else none; then its values.

    With ``steps``, how far each change goes: the smallest step that is as good as the best to ``STEP_ERRORS``.
    """
    best = max((values for _, values in found), key=lambda values: float(values.mean()))
    gain, error = _gain(best, own)
    chosen = None
    if gain > margin + errors * error:
        losses = [_gain(best, values) for _, values in found]
        as_good = [
            i
            for i, (loss, error) in enumerate(losses)
            if loss <= (0 if steps is None else STEP_ERRORS * error)
        ]
        chosen = as_good[0] if steps is None else min(as_good, key=lambda i: float(steps[i]))
    scores += [Score(change, *_gain(values, own), i == chosen) for i, (change, values) in enumerate(found)]
    return ({}, own) if chosen is None else found[chosen]


def _gain(values: Floats64, other: Floats64) -> tuple[float, float]:
    """Mean difference and its standard error."""
    gain = values - other
    return float(gain.mean()), float(gain.std() / np.sqrt(len(gain)))
