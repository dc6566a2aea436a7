"""Bideta: the method as a scikit-learn classifier."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bideta import artifact
from bideta.extensions.class_prior import Rule
from bideta.extensions.presses import press_numbers
from bideta.labels import encode_labels, labels_from_json, labels_to_json
from bideta.method import algorithm, spectrum
from bideta.method.algorithm import AdaptedReadout, Inference, SupportNodes
from bideta.method.covariance import WithinClass
from bideta.method.memory import Memory
from bideta.method.standardize import Standardizer
from bideta.neighbors import engines as search
from bideta.parameters import ESTIMATED, check_choice, check_number, check_prior
from bideta.views import DTYPES, check_views, numpy_of, split_columns


@dataclass(eq=False, repr=False)
class Bideta(ClassifierMixin, BaseEstimator):
    """Labels for a batch of contacts of an unseen tactile sensor, from a few labelled ones.

    ``fit`` takes two readouts of a frozen encoder as a tuple ``(h1, h2)``, or one array (``split`` cuts its
    columns in two; without it there is a single readout). ``predict``, ``predict_proba`` and ``rank`` answer for
    a whole batch at once: the answer for a query depends on the other queries. Results are the same for float32
    and float64 input up to rounding.

    The defaults are the paper's for classification; see ``presets``. The letters are the paper's:

    shrinkage: ρ of the memory's covariance in [0, 1]; "auto" is the Ledoit–Wolf intensity.
    memory_temperature: τ_m > 0.
    alpha: weight of the first readout in the anchor, in [0, 1].
    geometry: "spectral", or "raw" for a graph on features as they come (an ablation).
    gamma: spectral exponent γ in [0, 10]; 0 leaves the standardised geometry alone.
    n_neighbors: k ≥ 1; cut to m − 1 in a smaller batch.
    graph_temperature: τ_g > 0.
    fusion: "geometric" or "arithmetic".
    disagreement_weight: λ in [0, 1].
    gate_exponent: p > 0.
    r_min, r_max: bounds of the recurrence weight, 0 ≤ r_min ≤ r_max < 1.
    n_iter: T ≥ 0; 0 is the anchor, without a graph.
    prior: π, the class frequencies that the batch is held to: "support" (those of the labelled contacts), an
        array in the order of ``classes_``, or None to leave the batch free. An array also replaces the
        memory's class prior. "auto" looks at the batch, estimates its frequencies and uses the support's only
        where they fit (ours, meant for ``support_nodes``; see ``method.priors``); "mixed" is half way between the
        estimate and the support's. A batch with fewer queries than classes, or a single query, keeps its anchor,
        or goes without the prior step where there are ``support_nodes``.
    support_nodes: whether the labelled contacts are nodes of the graph, clamped to their labels (ours). A query
        then has neighbours even when it comes alone.
    neighbors: "exact", "approximate" (extra ``neighbors``; its recall is measured and reported by ``infer``, and
        where it is below 0.95 the exact search takes over), or "auto": exact up to 200,000 queries.
    n_jobs: workers that share the exact search through Ray (extra ``ray``); None stays in this process.
    split: column at which one array is cut into two readouts.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> names = np.repeat(["bolt", "coin", "key"], 20)
    >>> h1, h2 = (rng.normal(size=(3, d)).repeat(20, axis=0) + rng.normal(size=(60, d)) / 2 for d in (8, 12))
    >>> support = np.arange(60) % 4 == 0
    >>> adapted = Bideta().fit((h1[support], h2[support]), names[support])
    >>> float((adapted.predict((h1[~support], h2[~support])) == names[~support]).mean())
    1.0
    """

    shrinkage: float | Literal["auto"] = "auto"
    memory_temperature: float = 1.0
    alpha: float = 0.5
    geometry: Literal["spectral", "raw"] = "spectral"
    gamma: float = 0.6
    n_neighbors: int = 40
    graph_temperature: float = 0.2
    fusion: Literal["geometric", "arithmetic"] = "geometric"
    disagreement_weight: float = 0.5
    gate_exponent: float = 0.05
    r_min: float = 0.7
    r_max: float = 0.9
    n_iter: int = 10
    prior: Literal["support", "auto", "mixed"] | ArrayLike | None = "support"
    support_nodes: bool = False
    neighbors: Literal["auto", "exact", "approximate"] = "auto"
    n_jobs: int | None = None
    split: int | None = None

    def fit(self, X: Any, y: Any, groups: ArrayLike | None = None) -> Self:
        """Adapt to the sensor from its labelled contacts; every class needs at least one.

        ``groups`` numbers the press of each contact. Frames of one press are nearly alike: whatever is measured on
        contacts that the sensor has not seen (calibration, reliability, promised risks) leaves them out together.
        """
        self._check_parameters()
        views = self._views(X, reset=True)
        self.classes_, indices = encode_labels(y, len(views[0]))
        self.support_ = tuple(np.array(H) for H in views)  # copies: the caller may change its arrays
        self.support_labels_ = np.asarray(indices, np.intp)  # into classes_
        self.support_groups_ = press_numbers(groups, len(indices))
        self.prior_ = check_prior(self.prior, np.bincount(indices))  # π, or None
        memory_prior = np.bincount(indices) / len(indices) if self.prior_ is None else self.prior_
        self.readouts_ = tuple(
            algorithm.adapt(H, indices, memory_prior, shrinkage=self.shrinkage, gamma=self.gamma)
            for H in views
        )
        self.nodes_ = self._support_nodes() if self.support_nodes else None
        self.rule_ = self._prior_rule() if isinstance(self.prior, str) and self.prior in ESTIMATED else None
        self._rule_of = self.readouts_
        self.origin_: dict[
            str, Any
        ] = {}  # where the readouts came from (encoder, …), for whoever wants to note it
        return self

    def infer(self, X: Any) -> Inference:
        """Everything the method knows about the batch: anchor, views, graph, gate, probabilities."""
        check_is_fitted(self)
        self._check_parameters()
        nodes = self.nodes_ if self.support_nodes else None
        if self.support_nodes and (nodes is None or nodes.geometry != self.geometry):
            nodes = self._support_nodes()  # settings were changed since the fit
        result = algorithm.infer(
            self.readouts_,
            self.views(X),
            self.class_prior(),
            memory_temperature=self.memory_temperature,
            alpha=self.alpha,
            geometry=self.geometry,
            n_neighbors=self.n_neighbors,
            graph_temperature=self.graph_temperature,
            fusion=self.fusion,
            disagreement_weight=self.disagreement_weight,
            gate_exponent=self.gate_exponent,
            r_min=self.r_min,
            r_max=self.r_max,
            n_iter=self.n_iter,
            search=search.choose(self.neighbors, self.n_jobs),
            nodes=nodes,
        )
        return dataclasses.replace(result, classes=self.classes_)

    def class_prior(self) -> NDArray[np.float64] | Rule | None:
        """What the batch's class frequencies are taken to be: π, None (left free), or the rule that estimates them."""
        if self.rule_ is None:
            return self.prior_
        # Whoever gave this sensor other readouts (more labelled contacts, say) has made the fitted rule stale.
        return self.rule_ if self._rule_of is self.readouts_ else self._prior_rule()

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(m, C) class probabilities, joint over the batch; columns in the order of ``classes_``."""
        return self.infer(X).proba

    def predict(self, X: Any) -> NDArray[Any]:
        """(m,) most probable labels, joint over the batch."""
        proba = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[proba.argmax(axis=1)]
        return labels

    def rank(self, X: Any, top: int | None = None) -> NDArray[Any]:
        """(m, top) labels, most probable first; ties are ordered by the anchor, then by ``classes_``."""
        result = self.infer(X)
        if top is None:
            top = len(self.classes_)
        check_number("top", top, int, low=1, high=len(self.classes_))
        order = np.lexsort((-result.anchor, -result.proba), axis=1)[:, :top]
        labels: NDArray[Any] = self.classes_[order]
        return labels

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the adapted sensor to one file (safetensors with a JSON header; no pickle)."""
        check_is_fitted(self)
        header = {
            "parameters": {name: _plain(value) for name, value in self.get_params().items()},
            "classes": labels_to_json(self.classes_),
            "classes_dtype": str(self.classes_.dtype),
            "n_features_in": self.n_features_in_,
            "origin": self.origin_,
            "readouts": [
                {name: getattr(readout.covariance, name) for name in ("rest", "mean_variance", "intensity")}
                for readout in self.readouts_
            ],
        }
        if self.rule_ is not None:
            header["temperature"] = self.rule_.temperature
        arrays: dict[str, NDArray[Any]] = {"support_labels": self.support_labels_.astype(np.int64)}
        if self.prior_ is not None:
            arrays["prior"] = self.prior_
        if len(np.unique(self.support_groups_)) < len(self.support_groups_):
            arrays["support_groups"] = self.support_groups_.astype(np.int64)
        for v, (readout, H) in enumerate(zip(self.readouts_, self.support_, strict=True), 1):
            arrays[f"support{v}"] = H
            for name, array in _arrays(readout).items():
                arrays[f"readout{v}.{name}"] = array
        artifact.write(path, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The adapted sensor that ``save`` wrote; same answers."""
        header, arrays = artifact.read(path)
        if "support_labels" not in arrays:
            raise artifact.ArtifactError(
                f"{path} does not hold its labelled contacts: an earlier bideta wrote it; adapt and save again"
            )
        try:
            self = cls(**header["parameters"])
            self.classes_ = labels_from_json(header["classes"], header["classes_dtype"])
            self.n_features_in_ = int(header["n_features_in"])
            self.origin_ = dict(header["origin"])
            self.prior_ = arrays.get("prior")
            self.readouts_ = tuple(
                _readout(facts, {name: arrays[f"readout{v}.{name}"] for name in READOUT_ARRAYS}, self.gamma)
                for v, facts in enumerate(header["readouts"], 1)
            )
            self.support_ = tuple(arrays[f"support{v}"] for v in range(1, len(self.readouts_) + 1))
            self.support_labels_ = arrays["support_labels"].astype(np.intp)
            self.support_groups_ = press_numbers(arrays.get("support_groups"), len(self.support_labels_))
            self._check_parameters()
            self._check_shapes()
            self.nodes_ = self._support_nodes() if self.support_nodes else None
            self.rule_ = None
            if "temperature" in header:  # the rest of the rule follows from the labelled contacts
                counts = np.bincount(self.support_labels_)
                self.rule_ = Rule(counts, header["temperature"], self.prior == "mixed")
            self._rule_of = self.readouts_
        except (KeyError, TypeError, ValueError) as error:
            raise artifact.ArtifactError(f"{path} was written by an incompatible bideta ({error})") from error
        return self

    def views(self, X: Any, name: str = "X") -> tuple[NDArray[Any], ...]:
        """The readouts of a batch as the sensor reads them; an error that says ``name`` where they do not fit."""
        check_is_fitted(self)
        return self._views(X, reset=False, name=name)

    def _views(self, X: Any, *, reset: bool, name: str = "X") -> tuple[NDArray[Any], ...]:
        if isinstance(X, tuple):
            views = check_views(X, name)
            if reset:
                self.n_features_in_ = sum(H.shape[1] for H in views)
        else:
            if isinstance(X, list) and len(X) in (1, 2) and all(np.ndim(H) == 2 for H in X):
                raise ValueError(
                    f"{name} is a list of two-dimensional arrays; readouts go in a tuple: fit((h1, h2), y)"
                )
            X = validate_data(self, numpy_of(X), reset=reset, dtype=DTYPES)
            views = split_columns(X, self.split)
        if not reset:
            expected = [len(readout.standardizer.mean) for readout in self.readouts_]
            if [H.shape[1] for H in views] != expected:
                raise ValueError(
                    f"{name} has readouts of {[H.shape[1] for H in views]} features, Bideta was fitted on {expected}"
                )
        return views

    def _support_nodes(self) -> SupportNodes:
        return algorithm.support_nodes(
            self.readouts_, self.support_, self.support_labels_, self.geometry, self.n_neighbors
        )

    def _prior_rule(self) -> Rule:
        return algorithm.prior_rule(
            self.readouts_,
            self.support_,
            self.support_labels_,
            self.support_groups_,
            shrinkage=self.shrinkage,
            alpha=self.alpha,
            mixed=self.prior == "mixed",
        )

    def _check_shapes(self) -> None:
        """Raise unless the arrays of a loaded artifact fit together."""
        C, d_total = len(self.classes_), 0
        for readout, H in zip(self.readouts_, self.support_, strict=True):
            d, r = readout.covariance.vectors.shape
            d_total += d
            found = {name: array.shape for name, array in _arrays(readout).items()}
            expected = ((d,), (d,), (r,), (d, r), (C, d), (C,))
            if tuple(found.values()) != expected:
                raise ValueError(f"arrays do not fit together: {found}")
            if H.shape != (len(self.support_labels_), d):
                raise ValueError(f"labelled contacts of shape {H.shape} for {d} features")
        if len(self.readouts_) not in (1, 2) or d_total != self.n_features_in_:
            raise ValueError(
                f"{len(self.readouts_)} readouts of {d_total} features, {self.n_features_in_} declared"
            )
        if set(self.support_labels_.tolist()) != set(range(C)):
            raise ValueError(f"labelled contacts do not show each of {C} classes")
        if self.prior_ is not None and self.prior_.shape != (C,):
            raise ValueError(f"a prior of shape {self.prior_.shape} for {C} classes")

    def _check_parameters(self) -> None:
        if self.shrinkage != "auto":
            check_number("shrinkage", self.shrinkage, float, low=0, high=1, alternative='"auto"')
        check_number("memory_temperature", self.memory_temperature, float, above=0)
        check_number("alpha", self.alpha, float, low=0, high=1)
        check_choice("geometry", self.geometry, ("spectral", "raw"))
        check_number("gamma", self.gamma, float, low=0, high=10)
        check_number("n_neighbors", self.n_neighbors, int, low=1, hint="n_iter=0 leaves the graph out")
        check_number("graph_temperature", self.graph_temperature, float, above=0)
        check_choice("fusion", self.fusion, ("geometric", "arithmetic"))
        check_number("disagreement_weight", self.disagreement_weight, float, low=0, high=1)
        check_number("gate_exponent", self.gate_exponent, float, above=0)
        check_number("r_min", self.r_min, float, low=0, below=1)
        check_number("r_max", self.r_max, float, low=self.r_min, below=1)
        check_number("n_iter", self.n_iter, int, low=0)
        if not isinstance(self.support_nodes, bool | np.bool_):
            raise ValueError(f"support_nodes={self.support_nodes!r}: expected True or False")
        check_choice("neighbors", self.neighbors, ("auto", "exact", "approximate"))
        if self.n_jobs is not None:
            check_number("n_jobs", self.n_jobs, int, low=1, alternative="None")
        if self.split is not None:
            check_number("split", self.split, int, low=1, alternative="None")


READOUT_ARRAYS = ("mean", "scale", "values", "vectors", "coefficients", "intercepts")


def _arrays(readout: AdaptedReadout) -> dict[str, NDArray[Any]]:
    parts = (
        readout.standardizer.mean,
        readout.standardizer.scale,
        readout.covariance.values,
        readout.covariance.vectors,
        readout.memory.coefficients,
        readout.memory.intercepts,
    )
    return dict(zip(READOUT_ARRAYS, parts, strict=True))


def _readout(facts: dict[str, Any], arrays: dict[str, NDArray[Any]], gamma: float) -> AdaptedReadout:
    covariance = WithinClass(arrays["values"], arrays["vectors"], **facts)
    return AdaptedReadout(
        Standardizer(arrays["mean"], arrays["scale"]),
        covariance,
        Memory(arrays["coefficients"], arrays["intercepts"]),
        spectrum.transform(covariance, gamma),
    )


def _plain(value: Any) -> Any:
    """A numpy number or an array of numbers (``prior``) as JSON can hold it."""
    return value if value is None or isinstance(value, str) else np.asarray(value).tolist()
