"""BidetaRegressor: quantities of contacts as a scikit-learn regressor."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from bideta import quantity_file
from bideta.checks import DTYPES, check_number, check_readouts, split_columns
from bideta.extensions.presses import press_numbers
from bideta.images.background import small
from bideta.images.looks import look_at
from bideta.quantities.targets import Target, parse_column
from bideta.quantity_sensor import COVERAGE, FALSE_ALARMS, Quantities, QuantitySensor


@dataclass(eq=False, repr=False)
class BidetaRegressor(RegressorMixin, BaseEstimator):
    """Depth, tilt, force, position, … of contacts of an unseen tactile sensor, from a few labelled ones.

    ``fit`` takes the readouts of a frozen encoder as a tuple ``(h1, h2, …)`` or as one array, like ``Bideta``, and one
    or several quantities of each contact. Everything is closed form. Every contact is answered by itself.

    Args:
        targets: names of the quantities with their units, ``["depth_mm", "tilt_x_deg"]``; None numbers them.
        periods: name of an angle → its period, ``{"turn_deg": 360}``. Its answers, errors and intervals go round.
        split: column, or columns, at which one array is cut into readouts.

    Attributes:
        sensor_: the adapted sensor, frozen: its labelled contacts, targets, model and origin.
        n_features_in_: the sum of the readouts' widths.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> depth = rng.uniform(0, 2, 80)
    >>> h1, h2 = (np.outer(depth, rng.normal(size=d)) + rng.normal(size=(80, d)) / 5 for d in (8, 12))
    >>> adapted = BidetaRegressor(targets=["depth_mm"]).fit((h1[:30], h2[:30]), depth[:30])
    >>> lower, upper = adapted.predict_interval((h1[30:], h2[30:]), coverage=0.8)
    >>> bool(0.6 < np.mean((lower <= depth[30:]) & (depth[30:] <= upper)) < 1)
    True
    """

    targets: Sequence[str] | None = None
    periods: Mapping[str, float] | None = None
    split: int | Sequence[int] | None = None

    def fit(
        self,
        X: Any,
        y: Any,
        presses: ArrayLike | None = None,
        *,
        origin: Mapping[str, Any] | None = None,
        background: Any = None,
        sketches: ArrayLike | None = None,
    ) -> Self:
        """Adapt to the sensor from labelled contacts, y (n,) or (n, targets).

        ``presses`` numbers the press of each contact: frames of one press are left out together wherever the sensor is
        tested on its own contacts. ``origin`` is kept with the sensor and in its file; so is ``background``, a
        picture ``(H, W, 3)`` uint8 of the sensor without a contact, of which at most 320 pixels a side are kept.

        Args:
            X: the readouts of n labelled contacts: a tuple of arrays (n, d), or one array.
            y: (n,) or (n, targets) numbers.
            presses: (n,) the press that each contact is a frame of; None: each is a press.
            origin: facts to keep with the sensor.
            background: (H, W, 3) uint8 picture of the untouched sensor, or None.
            sketches: of the labelled pictures (``bideta.images.looks.sketches``): the sensor can then tell later
                whether pictures are its own.
        """
        if y is None:
            raise ValueError(
                "BidetaRegressor requires y to be passed, but the target y is None: give the quantities of each contact"
            )
        if isinstance(X, tuple):
            readouts = check_readouts(X)
            Y = check_array(y, ensure_2d=False, allow_nd=True, dtype=np.float64, input_name="y")
            self.n_features_in_ = sum(H.shape[1] for H in readouts)
        else:
            X, Y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=list(DTYPES))
            readouts = split_columns(X, self.split)
            Y = np.asarray(Y, np.float64)
        if Y.ndim not in (1, 2) or 0 in Y.shape:
            raise ValueError(f"y has shape {Y.shape}, expected (contacts,) or (contacts, targets)")
        n = len(readouts[0])
        if len(Y) != n:
            raise ValueError(f"X and y disagree on the number of contacts: {n} and {len(Y)}")
        values = Y.reshape(n, -1).copy()
        picture = None if background is None else np.array(small(background))
        sensor = QuantitySensor.adapt(
            self._named(values.shape[1]),
            tuple(np.array(H, order="C") for H in readouts),  # copies: the caller may change its arrays
            values,
            press_numbers(presses, n),
            origin,
        )
        look = None if sketches is None else look_at(sketches, sensor.presses, picture)
        self.sensor_ = replace(sensor, background=picture, look=look)
        self._one_dimensional = Y.ndim == 1
        return self

    def infer(
        self,
        X: Any,
        coverage: float = COVERAGE,
        false_alarms: float = FALSE_ALARMS,
        sketches: ArrayLike | None = None,
    ) -> Quantities:
        """Everything the sensor says about contacts: values, intervals, deviations, which look foreign.

        Args:
            X: the readouts of m contacts: a tuple of arrays (m, d), or one array.
            coverage: share of new contacts whose truth the intervals hold.
            false_alarms: share of usual contacts that may be called foreign.
            sketches: of the batch's pictures (``bideta.images.looks.sketches``): the field ``check`` then says whether
                they come from this sensor, as for ``Bideta``. Where its ``level`` is foreign, intervals are NaN.
        """
        check_is_fitted(self)
        check_number("coverage", coverage, float, above=0, below=1, hint="a share, such as 0.9")
        check_number("false_alarms", false_alarms, float, above=0, below=1, hint="a share, such as 0.05")
        result = self.sensor_.infer(self.readouts(X), coverage, false_alarms)
        return result if sketches is None else result.checked(self.sensor_.check(sketches))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """(m,) or (m, targets) quantities.

        Args:
            X: the readouts of m contacts: a tuple of arrays (m, d), or one array.
        """
        return self._shaped(self.infer(X).value)

    def predict_interval(
        self, X: Any, coverage: float = COVERAGE
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper ends of intervals that hold the truth of a share ``coverage`` of new contacts.

        The share is that of contacts which come as the labelled ones did. Where an angle's interval goes past the end
        of its period, so do the numbers: 350° ± 20° is 330 … 370.

        Args:
            X: the readouts of m contacts: a tuple of arrays (m, d), or one array.
            coverage: share of new contacts whose truth the intervals hold.
        """
        result = self.infer(X, coverage)
        return self._shaped(result.lower), self._shaped(result.upper)

    def readouts(self, X: Any, name: str = "X") -> tuple[NDArray[Any], ...]:
        """The readouts of contacts as the sensor reads them; an error that says ``name`` where they do not fit."""
        check_is_fitted(self)
        if isinstance(X, tuple):
            readouts = check_readouts(X, name)
        else:
            X = validate_data(self, X, reset=False, dtype=list(DTYPES))
            readouts = split_columns(X, self.split)
        widths = [H.shape[1] for H in readouts]
        if widths != self.sensor_.widths:
            raise ValueError(
                f"{name} has readouts of {widths} features, BidetaRegressor was fitted on {self.sensor_.widths}"
            )
        return readouts

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the adapted sensor to one file (safetensors with a JSON header; no pickle).

        Args:
            path: of the file; by custom it ends with ``.bideta``.
        """
        check_is_fitted(self)
        quantity_file.save(self.sensor_, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The adapted sensor that ``save`` wrote; a file that answers classes too will do.

        Args:
            path: of the file; by custom it ends with ``.bideta``.
        """
        return cls.of(quantity_file.load(path))

    @classmethod
    def of(cls, sensor: QuantitySensor) -> Self:
        """The scikit-learn face of an adapted sensor; it answers (m, targets)."""
        periods = {target.column: target.period for target in sensor.targets if target.period is not None}
        adapted = cls([target.column for target in sensor.targets], periods or None)
        adapted.sensor_ = sensor
        adapted.n_features_in_ = sum(sensor.widths)
        adapted._one_dimensional = False
        return adapted

    def __sklearn_tags__(self) -> Any:
        """Several targets are fine."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _named(self, T: int) -> list[Target]:
        """The targets; an error where names or periods do not fit T columns."""
        names = [f"y{t}" for t in range(1, T + 1)] if self.targets is None else list(self.targets)
        if len(names) != T or len(set(names)) != T:
            raise ValueError(
                f"targets={self.targets!r}: expected {T} different names, one for each column of y"
            )
        periods = dict(self.periods or {})
        for name, period in periods.items():
            check_number(f"periods[{name!r}]", period, float, above=0)
            if name not in names:
                raise ValueError(f"periods names {name!r}, expected some of {', '.join(names)}")
        return [parse_column(name, periods.get(name)) for name in names]

    def _shaped(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[:, 0] if self._one_dimensional else values
