"""Settings chosen without a label of any query: on the support alone, and on unlabelled queries where there are some.

What the memory needs (ρ, τ_m, α) is judged by the likelihood of labelled presses that it has not seen, in closed
form. A setting leaves the preset where it is better by more than its standard error (α three of them); of the ρ that
are as good as the best to two standard errors, the one nearest to the preset's is taken. τ_m changes no answer of the
memory, only how much the joint step trusts it, and there the likelihood is a poor guide: it leaves the preset only
where that does not fit.

What the graph needs (γ, k, τ_g, r, whether it is used) shows only in a batch. Folds of the support hide among the
queries and count the right answers. Hidden contacts are not quite like queries: they come one by one, while queries
come in presses of many frames that are each other's neighbours. A setting that leans on the graph therefore looks
worse than it is: on the development sensors, changes that promised up to four points lost as many. So the graph
leaves the preset only where that promises more than five points: a guard against a preset that does not fit the data
at all, not a fine adjustment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bideta import presets
from bideta.deploy.tuning.graph_settings import right_answers
from bideta.deploy.tuning.memories import Support, best_likelihood, log_likelihood
from bideta.deprecation import renamed_argument
from bideta.extensions.presses import labelled_presses
from bideta.extensions.settings import SensorSettings
from bideta.method import Floats, Floats64
from bideta.sensor import Sensor

if TYPE_CHECKING:
    from bideta.estimator import Bideta

SHRINKAGES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
ALPHAS = (0.25, 0.5, 0.75)
# The best likelihood is often at a τ_m of 8 or more; in the joint step everything beyond 2 costs some sensors accuracy.
TEMPERATURES = (1.0, 1.5, 2.0)
# Log-likelihood per press; on the development sensors less than that cost some of them accuracy.
TEMPERATURE_MARGIN = 1.0
# Standard errors that a change must be better by. The joint step misses a readout that has little weight in the anchor
# more than the likelihood shows.
MEMORY_ERRORS, ALPHA_ERRORS, GRAPH_ERRORS = 1.0, 3.0, 2.0
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
    """Chosen settings of ``Bideta``, and everything that was compared.

    Attributes:
        settings: for ``Bideta(**settings)``
        scores: every change that was compared, with its gain
    """

    settings: dict[str, Any]
    scores: tuple[Score, ...]

    @property
    def changed(self) -> dict[str, Any]:
        """The settings that differ from the preset."""
        return {name: value for score in self.scores if score.chosen for name, value in score.change.items()}

    def __str__(self) -> str:
        """What differs from the preset, as "shrinkage=0.01, memory_temperature=2.0"."""
        return ", ".join(f"{name}={value}" for name, value in self.changed.items()) or "those of the preset"

    @renamed_argument("groups", "presses")
    def fit(
        self,
        X: Any,
        y: Any,
        presses: ArrayLike | None = None,
        *,
        origin: Mapping[str, Any] | None = None,
        background: Any = None,
        sketches: ArrayLike | None = None,
    ) -> Bideta:
        """The sensor adapted with these settings."""
        from bideta.estimator import Bideta

        more = {"origin": origin, "background": background, "sketches": sketches}
        return Bideta(**self.settings).fit(X, y, presses, **more)


@renamed_argument("groups", "presses")
def tune(
    X: Any,
    y: Any,
    *,
    preset: Mapping[str, Any] = presets.CLASSIFICATION,
    queries: Any = None,
    presses: ArrayLike | None = None,
    seed: int = 0,
) -> Tuned:
    """Settings for these labelled contacts, starting from ``preset``; ``queries`` are unlabelled contacts.

    ``presses`` numbers the press of each labelled contact: frames of one press are nearly alike and are held out
    together, or they would vouch for each other and too little shrinkage would look best.
    Without queries the graph keeps the preset's settings: the support does not show what a batch looks like. With
    one contact per class nothing can be held out, with one class nothing confused: the preset comes back.

    Args:
        X: the readouts of the labelled contacts, as for ``fit``.
        y: (n,) their labels.
        preset: settings to start from.
        queries: readouts of unlabelled contacts; None: the graph's settings stay.
        presses: (n,) the press of each labelled contact.
        seed: of the folds.
    """
    from bideta.estimator import Bideta  # with scikit-learn, which those who only answer go without

    _check_preset(preset)
    base = Bideta(**preset).fit(
        X, y, presses, origin={}
    )  # the sensor that is kept warns about one class, not this
    sensor = base.sensor_
    if presses is not None:
        labelled_presses(presses, sensor.labels)
    support = Support(sensor)
    if not len(support.rows) or len(sensor.classes) == 1:
        return Tuned(dict(preset), ())
    settings, scores = _tune_memory(support)
    tuned = Tuned({**preset, **settings}, tuple(scores))
    if queries is not None:
        changed = Bideta(**tuned.settings).fit(X, y, presses).sensor_
        tuned = _tune_graph(tuned, changed, base.readouts(queries, "queries"), seed)
    return tuned


def _check_preset(preset: Any) -> None:
    if not isinstance(preset, Mapping):
        raise ValueError(f"preset is {preset!r}, expected settings of Bideta such as bideta.presets.ROBOT")
    strange = sorted(set(preset) - {part.name for part in fields(SensorSettings)})
    if strange:
        raise ValueError(f"preset has {', '.join(strange)}, which is no setting of Bideta")


def _tune_memory(support: Support) -> tuple[dict[str, Any], list[Score]]:
    """ρ, α and τ_m, and what was compared."""
    base = support.sensor.settings
    ell = support.lda(base.shrinkage)
    likelihood = best_likelihood(ell, support, base.alpha)
    settings: dict[str, Any] = {}
    scores: list[Score] = []
    if support.enough:
        options = {rho: support.lda(rho) for rho in SHRINKAGES}
        gains = [({"shrinkage": rho}, best_likelihood(e, support, base.alpha)) for rho, e in options.items()]
        usual = [
            readout.covariance.intensity if isinstance(base.shrinkage, str) else base.shrinkage
            for readout in support.sensor.readouts
        ]
        steps = np.abs(np.log(SHRINKAGES) - np.mean(np.log(np.maximum(usual, SHRINKAGES[0]))))
        chosen, likelihood = _choose(gains, likelihood, MEMORY_ERRORS, scores, steps=steps)
        settings |= chosen
        ell = options.get(chosen.get("shrinkage", -1.0), ell)
        if len(ell) == 2:  # with more readouts there is no one number to choose
            gains = [
                ({"alpha": alpha}, best_likelihood(ell, support, alpha))
                for alpha in ALPHAS
                if alpha != base.alpha
            ]
            settings |= _choose(gains, likelihood, ALPHA_ERRORS, scores)[0]
    alpha = settings.get("alpha", base.alpha)
    usual_likelihood = log_likelihood(ell, support, base.memory_temperature, alpha)
    gains = [
        ({"memory_temperature": t}, log_likelihood(ell, support, t, alpha))
        for t in TEMPERATURES
        if t != base.memory_temperature
    ]
    chosen, _ = _choose(gains, usual_likelihood, MEMORY_ERRORS, scores, TEMPERATURE_MARGIN)
    return settings | chosen, scores


def _tune_graph(tuned: Tuned, sensor: Sensor, queries: tuple[Floats, ...], seed: int) -> Tuned:
    """Every graph setting by itself against the settings so far."""
    base = sensor.settings
    changes = [
        change for change in GRAPH if any(getattr(base, name) != value for name, value in change.items())
    ]
    usual, *others = right_answers(sensor, queries, [{}, *changes], seed)
    scores, settings = list(tuned.scores), dict(tuned.settings)
    for names in dict.fromkeys(tuple(change) for change in changes):
        gains = [pair for pair in zip(changes, others, strict=True) if tuple(pair[0]) == names]
        settings |= _choose(gains, usual, GRAPH_ERRORS, scores, GRAPH_MARGIN)[0]
    return replace(tuned, settings=settings, scores=tuple(scores))


def _choose(
    options: list[tuple[dict[str, Any], Floats64]],
    usual: Floats64,
    errors: float,
    scores: list[Score],
    margin: float = 0.0,
    steps: Floats64 | None = None,
) -> tuple[dict[str, Any], Floats64]:
    """The best change where it beats ``usual`` by ``margin`` and so many standard errors, else none; then its values.

    With ``steps``, how far each change goes: the smallest step that is as good as the best to ``STEP_ERRORS``.
    """
    best = max((values for _, values in options), key=lambda values: float(values.mean()))
    gain, error = _gain(best, usual)
    chosen = None
    if gain > margin + errors * error:
        losses = [_gain(best, values) for _, values in options]
        as_good = [
            i
            for i, (loss, error) in enumerate(losses)
            if loss <= (0 if steps is None else STEP_ERRORS * error)
        ]
        chosen = as_good[0] if steps is None else min(as_good, key=lambda i: float(steps[i]))
    scores += [
        Score(change, *_gain(values, usual), i == chosen) for i, (change, values) in enumerate(options)
    ]
    return ({}, usual) if chosen is None else options[chosen]


def _gain(values: Floats64, other: Floats64) -> tuple[float, float]:
    """Mean difference and its standard error."""
    gain = values - other
    return float(gain.mean()), float(gain.std() / np.sqrt(len(gain)))
