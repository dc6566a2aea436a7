"""QuantitySensor: everything that adapting to quantities makes, frozen; the sibling of ``sensor.Sensor`` for classes.

It needs neither scikit-learn nor a file format: ``BidetaRegressor`` is its scikit-learn face, ``quantity_file`` keeps
it on disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bideta.images.batch_check import INTERVALS, UNCHECKED, BatchCheck, check_pictures
from bideta.images.looks import Look
from bideta.method import Floats, Floats64, Indices
from bideta.quantities import algorithm
from bideta.quantities.algorithm import Model
from bideta.quantities.foreign import is_foreign
from bideta.quantities.targets import Target, wrap

# labelled ones: time grows with their cube and memory with their square, some minutes and GB here
MOST_CONTACTS = 4000
LARGEST = 1e100  # value of a labelled contact, without its sign: squares and their sums stay finite
COVERAGE = 0.9  # of intervals, unless another is asked for
FALSE_ALARMS = 0.05  # share of the sensor's own contacts that may be called foreign


@dataclass(frozen=True, eq=False)
class Quantities:
    """What a sensor says about m contacts: columns are ``targets``.

    Attributes:
        targets: (T) names and units of the columns
        value: (m, T) the answers
        lower: (m, T) value − half the interval; of an angle it may lie outside its period
        upper: (m, T) value + half the interval
        coverage: share of new contacts whose truth the intervals hold
        deviation: (m, T) standard deviation of the answer by the model alone
        strangeness: (m,) distance from the labelled contacts; about one is usual
        foreign: (m,) stranger than labelled contacts are
        check: whether the batch's pictures come from this sensor; None: they were not given
    """

    targets: tuple[Target, ...]
    value: Floats64
    lower: Floats64
    upper: Floats64
    coverage: float
    deviation: Floats64
    strangeness: Floats64
    foreign: NDArray[np.bool_]
    check: BatchCheck | None = None

    def only(self, columns: Sequence[str]) -> Quantities:
        """The same contacts with these columns, in this order."""
        rows = [[one.column for one in self.targets].index(name) for name in columns]
        parts = {name: getattr(self, name)[:, rows] for name in ("value", "lower", "upper", "deviation")}
        return replace(self, targets=tuple(self.targets[t] for t in rows), **parts)

    def errors(self, truth: Floats64) -> Floats64:
        """(m, T) answer minus truth; of angles, the short way round."""
        return np.stack(
            [wrap(self.value[:, t] - truth[:, t], one) for t, one in enumerate(self.targets)], axis=1
        )

    def holds(self, truth: Floats64) -> NDArray[np.bool_]:
        """(m, T) whether the interval holds the truth."""
        inside: NDArray[np.bool_] = np.abs(self.errors(truth)) <= (self.upper - self.lower) / 2
        return inside

    def too_wide(self, widest: Mapping[str, float]) -> NDArray[np.bool_]:
        """(m, T) whose interval is wider than is useful; ``widest`` names targets by column or name."""
        limits = [widest.get(one.column, widest.get(one.name, np.inf)) for one in self.targets]
        narrow = self.upper - self.lower <= np.array(limits)  # never where the interval is withheld
        wide: NDArray[np.bool_] = ~narrow & np.isfinite(limits)
        return wide

    def checked(self, check: BatchCheck) -> Quantities:
        """The same with what was found of the pictures; of foreign ones without intervals (NaN)."""
        return replace(self.without_intervals() if check.level == "foreign" else self, check=check)

    def without_intervals(self) -> Quantities:
        """The same values, of which nothing is promised: the ends of the intervals are NaN."""
        nothing = np.full_like(self.value, np.nan)
        return replace(self, lower=nothing, upper=nothing.copy())


@dataclass(frozen=True, eq=False)
class QuantitySensor:
    """A sensor adapted to quantities."""

    targets: tuple[Target, ...]
    support: tuple[Floats, ...]  # the labelled contacts, (n, d) for each readout
    values: Floats64  # (n, T) their quantities
    presses: Indices  # (n,) which press each is of
    model: Model
    origin: Mapping[str, Any] = field(default_factory=dict)  # where the readouts came from (encoder, …)
    background: NDArray[np.uint8] | None = None  # (H, W, 3), the sensor without a contact; None: not known
    look: Look | None = None  # how its labelled pictures look; None: not known

    @classmethod
    def adapt(
        cls,
        targets: Sequence[Target],
        support: tuple[Floats, ...],
        values: Floats64,
        presses: Indices,
        origin: Mapping[str, Any] | None = None,
        scales: Sequence[float] | None = None,
    ) -> QuantitySensor:
        """The sensor that these labelled contacts make; ``scales`` are those of an earlier fit of the same contacts."""
        if len(values) > MOST_CONTACTS:
            raise ValueError(
                f"{len(values):,} labelled contacts, expected at most {MOST_CONTACTS:,}: time grows with their cube; "
                "draw some at random, or take those that suggest_quantities names"
            )
        farthest = values.flat[np.abs(values).argmax()]
        if abs(farthest) > LARGEST:
            raise ValueError(f"y holds {farthest:g}, expected values up to {LARGEST:g}: take a larger unit")
        signed = values.min(axis=0) < 0
        named = tuple(
            replace(target, signed=bool(below)) if target.period is not None else target
            for target, below in zip(targets, signed.tolist(), strict=True)
        )
        model = algorithm.adapt(support, values, _without_copies(support, values, presses), named, scales)
        return cls(named, support, values, presses, model, origin or {})

    @property
    def widths(self) -> list[int]:
        """Features of each readout."""
        return [H.shape[1] for H in self.support]

    def check(self, sketches: ArrayLike) -> BatchCheck:
        """Whether pictures, by their sketches, come from this sensor."""
        found = UNCHECKED if self.look is None else check_pictures(self.look, sketches, self.background)
        return replace(found, gives=(INTERVALS,))

    def left_out_errors(self) -> Floats64 | None:
        """(T,) mean error on labelled contacts that were left out, press by press; None where there is one press."""
        if self.model.n_presses < 2:
            return None
        off = [wrap(self.values[:, t] - self.model.left_out[:, t], one) for t, one in enumerate(self.targets)]
        mean: Floats64 = np.abs(off).mean(axis=1)
        return mean

    def infer(
        self, queries: Sequence[Floats], coverage: float = COVERAGE, false_alarms: float = FALSE_ALARMS
    ) -> Quantities:
        """Values, intervals and strangeness of contacts; each is answered by itself."""
        model = self.model
        answers = algorithm.infer(model, queries)
        half = algorithm.half_widths(model, answers.deviation, coverage)
        foreign = is_foreign(answers.strangeness, model.own_strangeness, model.n_presses, false_alarms)
        return Quantities(
            self.targets,
            answers.value,
            answers.value - half,
            answers.value + half,
            coverage,
            answers.deviation,
            answers.strangeness,
            foreign,
        )


def _without_copies(support: tuple[Floats, ...], values: Floats64, presses: Indices) -> Indices:
    """The presses, those that share a copy of a contact made one: left out alone, it would be told by its copy."""
    first: dict[bytes, int] = {}
    for i, rows in enumerate(zip(values, *support, strict=True)):
        here, there = presses[i], presses[first.setdefault(b"".join(row.tobytes() for row in rows), i)]
        if here != there:
            presses = np.where(presses == here, there, presses)
    return presses
