"""How sure an answer is: published maps from the best probability to the chance of being right.

All learn from the hidden labelled contacts, as our reliability does: (confidence, right or wrong) pairs.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

Array = NDArray[np.float64]
Map = Callable[[Array, NDArray[np.bool_], Array], Array]  # hidden confidence, right, asked confidence → (m,)

EDGE = 1e-6  # logits of certainty


def logit(p: Array) -> Array:
    p = np.clip(p, EDGE, 1 - EDGE)
    return np.log(p / (1 - p))


def venn_abers(confidence: Array, right: NDArray[np.bool_], asked: Array) -> Array:
    """Isotonic regression with the query once as wrong, once as right: p₁ / (1 − p₀ + p₁) (Vovk and others, 2015)."""
    values, where = np.unique(asked, return_inverse=True)
    merged = np.empty(len(values))
    for i, value in enumerate(values):
        x = np.append(confidence, value)
        p0, p1 = (
            IsotonicRegression(y_min=0, y_max=1).fit(x, np.append(right, label)).predict([value])[0]
            for label in (0.0, 1.0)
        )
        merged[i] = p1 / (1 - p0 + p1)
    return merged[where]


def platt(confidence: Array, right: NDArray[np.bool_], asked: Array) -> Array:
    """Logistic regression on the logit of the confidence (Platt, 1999; slightly penalised)."""
    if right.all() or not right.any():
        return np.full(len(asked), (right.sum() + 1) / (len(right) + 2))
    model = LogisticRegression().fit(logit(confidence)[:, None], right)
    return model.predict_proba(logit(asked)[:, None])[:, 1]


def netcal(kind: str) -> Map:
    """A map of netcal's: "BetaCalibration", "HistogramBinning", "BBQ", "ENIR", "IsotonicRegression"."""

    def mapped(confidence: Array, right: NDArray[np.bool_], asked: Array) -> Array:
        from netcal import binning, scaling

        if right.all() or not right.any():
            return np.full(len(asked), (right.sum() + 1) / (len(right) + 2))
        logging.disable(logging.WARNING)
        silent = io.StringIO()
        try:
            with warnings.catch_warnings(), redirect_stdout(silent), redirect_stderr(silent):
                warnings.simplefilter("ignore")
                model = getattr(scaling, kind, None) or getattr(binning, kind)
                fitted = model().fit(np.clip(confidence, EDGE, 1 - EDGE), right.astype(int))
                answer = np.asarray(fitted.transform(np.clip(asked, EDGE, 1 - EDGE)), np.float64)
        except ValueError:  # BBQ and ENIR find no model in some draws with few hidden contacts
            answer = np.full(len(asked), (right.sum() + 1) / (len(right) + 2))
        finally:
            logging.disable(logging.NOTSET)
        return answer.reshape(len(asked))

    return mapped


MAPS: dict[str, Map] = {
    "Platt": platt,
    "Venn–Abers": venn_abers,
    "beta (netcal)": netcal("BetaCalibration"),
    "histogram (netcal)": netcal("HistogramBinning"),
    "BBQ (netcal)": netcal("BBQ"),
    "ENIR (netcal)": netcal("ENIR"),
}


def brier(sure: Array, right: NDArray[np.bool_]) -> float:
    """Mean squared distance of sureness and truth: calibration and order in one number."""
    return float(((sure - right) ** 2).mean())


def calibration_error(sure: Array, right: NDArray[np.bool_], bins: int = 10) -> float:
    """Expected calibration error in bins of equal width."""
    number = np.minimum((sure * bins).astype(int), bins - 1)
    gaps = np.bincount(number, sure - right, bins)
    return float(np.abs(gaps).sum() / len(sure))
